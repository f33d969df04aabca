import { createHash } from 'node:crypto';
import type { Redis } from 'ioredis';
import { createIdentity, type WorkerIdentity } from '../presence/identity.ts';
import { acceptC1, submitPartitionProof, submitWitness } from '../record/changes.ts';
import { claimUnit, isRefusal } from '../record/claim.ts';
import { createOrJoinProof, type NewProof } from '../record/create-proof.ts';
import { PRIORITY_DEFAULT } from '../record/priority.ts';
import { newProofId } from '../record/proof-id.ts';
import { NO_TENANT } from '../record/tenant.ts';
import type { ArtifactRef, Change, Claim, NextUnit, StageUnit } from '../record/types.ts';

/** Records for tests of the state machine: names of artifacts that no test reads. */
export const artifact = (name: string, bytes = 1000): ArtifactRef => ({
  ref: name,
  bytes,
  sha256: createHash('sha256').update(name).digest('hex'),
});

export const WITNESS_BYTES = 1_000;
export const SYNTH: WorkerIdentity = createIdentity('synth-worker', 'node-a', '0');
export const GPU: WorkerIdentity = createIdentity('gpu-worker', 'node-a', '0');
export const GPU_2: WorkerIdentity = createIdentity('gpu-worker', 'node-b', '0');

export function newProof(changes: Partial<NewProof> = {}): NewProof {
  const proofId = newProofId();
  return {
    proofId,
    kind: 'porep',
    minerId: '1000',
    sectorNumber: '1',
    contentKey: createHash('sha256').update(proofId).digest('hex'),
    c1: artifact(`proofs/${proofId}/c1.json`),
    priority: PRIORITY_DEFAULT,
    deadlineAt: null,
    tenant: NO_TENANT,
    traceparent: null,
    ...changes,
  };
}

/** Claims or throws the refusal. */
export async function mustClaim(
  redis: Redis,
  unit: StageUnit,
  worker: WorkerIdentity,
): Promise<Claim> {
  const answer = await claimUnit(redis, unit, worker);
  if (isRefusal(answer)) throw new Error(`claim refused: ${answer.refused}`);
  return answer;
}

export const only = (units: readonly NextUnit[]): NextUnit => {
  const [first, ...others] = units;
  if (!first || others.length > 0) throw new Error(`expected one unit, got ${units.length}`);
  return first;
};

/** A proof that ingest has found good, with this many partitions waiting for dispatch. */
export async function ingested(
  redis: Redis,
  partitions: number,
  changes: Partial<NewProof> = {},
): Promise<string> {
  const created = await createOrJoinProof(redis, newProof(changes));
  const claim = await mustClaim(redis, only(created.next), SYNTH);
  await acceptC1(redis, claim.fence, {
    circuitId: 'circuit',
    sectorBytes: 2048,
    witnessBytes: WITNESS_BYTES,
    publicInputs: artifact('public-inputs'),
    inputs: Array.from({ length: partitions }, (_, k) => artifact(`input-${k}`)),
  });
  return created.proofId;
}

/** Takes a dispatched unit through synthesis; returns the prove unit. */
export async function synthesized(redis: Redis, unit: StageUnit): Promise<NextUnit> {
  const claim = await mustClaim(redis, unit, SYNTH);
  const change = await submitWitness(redis, claim.fence, artifact('witness'), []);
  return only(change.next);
}

/** Takes a prove unit to its end. */
export async function proved(
  redis: Redis,
  unit: StageUnit,
  worker: WorkerIdentity = GPU,
): Promise<Change> {
  const claim = await mustClaim(redis, unit, worker);
  return submitPartitionProof(redis, claim.fence, {
    proof: new Uint8Array(192).fill(unit.partition ?? 0),
    parameters: 'insecure-development',
    worker: worker.name,
    phases: [],
  });
}
