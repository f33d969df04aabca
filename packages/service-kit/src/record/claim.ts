import { fromHex } from '@cuzk/core/bytes';
import type { Redis } from 'ioredis';
import type { WorkerIdentity } from '../presence/identity.ts';
import { OWNER_SILENT_MS } from '../presence/limits.ts';
import { runScript } from '../redis/scripts.ts';
import type { Claim, ProvedPartition, Refusal, StageUnit } from './types.ts';

interface WirePartition {
  readonly partition: number;
  readonly proofHex: string;
  readonly prover: string;
}

type WireClaim = Claim & { readonly partitions?: readonly WirePartition[] };

/**
 * Takes a waiting unit for this worker: raises its attempt and stores the owner. From now on every change
 * must show `claim.fence`. A duplicate, late or dead unit is refused. `circuits`, for prove, are the circuits
 * this worker has parameters for; `beginsInMs`: its device has other work for so long yet, and it gets only what no
 * other one would end before. A prover that should leave the unit to others (another circuit, it failed it
 * before, they would be done sooner) is given another one that it should take (`claim.instead`), or refused.
 */
export async function claimUnit(
  redis: Redis,
  unit: StageUnit,
  worker: WorkerIdentity,
  circuits?: readonly string[],
  beginsInMs = 0,
): Promise<Claim | Refusal> {
  const wire = await runScript<WireClaim | Refusal>(redis, 'claim', {
    unit,
    owner: worker.owner,
    worker: worker.name,
    circuits: circuits ?? null,
    beginsInMs: Math.ceil(beginsInMs),
    silentMs: OWNER_SILENT_MS,
  });
  if ('refused' in wire || wire.stage !== 'finalize') return wire;
  const partitions: ProvedPartition[] = (wire.partitions as unknown as WirePartition[]).map(
    ({ partition, proofHex, prover }) => ({ partition, proof: fromHex(proofHex), prover }),
  );
  return { ...wire, partitions };
}

export const isRefusal = (answer: Claim | Refusal): answer is Refusal => 'refused' in answer;
