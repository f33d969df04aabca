import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { bytesEqual } from '@cuzk/core/bytes';
import { CuzkError } from '@cuzk/core/errors';
import { circuitId } from '@cuzk/core/porep/circuit-id';
import { sectorShape } from '@cuzk/core/porep/sector';
import { decodeCompactWitness } from '@cuzk/core/r1cs/compact-witness-file';
import type { Service } from '../open-service.ts';
import type { StageWorkerOptions } from '../queues/stage-options.ts';
import { StageWorker } from '../queues/stage-worker.ts';
import { releaseHandoff, submitPartitionProof } from '../record/changes.ts';
import type { ProveClaim } from '../record/types.ts';
import { GOLDEN_SECTOR_BYTES, readGoldenCase } from './golden-case.ts';

const CASES = (['2KiB-V1-a', '2KiB-V1_1-a', '2KiB-V1_1-b', '2KiB-Synthetic-a'] as const).map(
  readGoldenCase,
);
export const GOLDEN_CIRCUIT = circuitId(sectorShape(GOLDEN_SECTOR_BYTES));

/** The proof bellperson made for the statement inside this witness. */
function goldenProofFor(witnessFile: Uint8Array): Uint8Array {
  const aligned = Uint8Array.from(witnessFile);
  const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest();
  const { witness } = decodeCompactWitness(aligned, sha256);
  const inputs = witness.inputs.subarray(32);
  const found = CASES.find((golden) => bytesEqual(golden.publicInputs, inputs));
  if (!found) throw new CuzkError('WITNESS_UNSATISFIED', 'no golden proof has these inputs');
  return found.proof;
}

/**
 * A prove stage without a GPU: reads the witness like a gpu-worker and answers with the proof that bellperson
 * made for the same statement. Everything around it (queue, record, permits, verification) is real.
 */
export async function startGoldenProver(
  service: Service,
  options: Partial<StageWorkerOptions<'prove'>> & {
    readonly change?: (proof: Uint8Array, claim: ProveClaim) => Uint8Array;
    /** How long a proof takes, on top. */
    readonly workMs?: number;
  } = {},
): Promise<StageWorker<'prove'>> {
  const { change, workMs = 0, ...rest } = options;
  await service.presence.publish({
    ready: true,
    status: 'golden proofs',
    circuits: [GOLDEN_CIRCUIT],
    parameters: 'insecure-development',
    adapter: 'none',
  });
  return StageWorker.start(service, {
    stage: 'prove',
    concurrency: 1,
    maxFailures: 4,
    circuits: () => [GOLDEN_CIRCUIT],
    handle: async (claim) => {
      const proof = goldenProofFor(await service.artifacts.get(claim.witness));
      await releaseHandoff(service.redis, claim.fence);
      await sleep(workMs);
      return submitPartitionProof(service.redis, claim.fence, {
        proof: change ? change(proof, claim) : proof,
        parameters: 'insecure-development',
        worker: service.identity.name,
        phases: [],
      });
    },
    ...rest,
  });
}
