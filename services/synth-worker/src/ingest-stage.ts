import { CuzkError } from '@cuzk/core/errors';
import { inputRef, publicInputsRef } from '@cuzk/service-kit/artifacts/names';
import type { Service } from '@cuzk/service-kit/open-service';
import type { StageContext } from '@cuzk/service-kit/queues/stage-options';
import { acceptC1, refuseC1 } from '@cuzk/service-kit/record/changes';
import { problemOf } from '@cuzk/service-kit/record/problem';
import type { ArtifactRef, Change, IngestClaim } from '@cuzk/service-kit/record/types';
import { setSpanError } from '@cuzk/service-kit/telemetry/trace-context';
import type { SynthThreads } from './threads/open-synth-threads.ts';
import type { CheckedC1Answer, CheckedPartition } from './threads/synth-tasks.ts';

/**
 * Reads the C1, checks all that can be checked without proving, stores one partition input per partition and
 * gives the verdict. A C1 at fault ends the run with its problem; a fault of ours throws and is retried.
 */
export async function ingest(
  service: Service,
  threads: SynthThreads,
  claim: IngestClaim,
  { signal, span }: StageContext,
): Promise<Change> {
  const { redis, artifacts, buffers } = service;
  const c1Path = await artifacts.localPath(claim.c1);
  const { minerId, sectorNumber, fence } = claim;
  const stored: Promise<ArtifactRef>[] = [];
  const publicInputs: Uint8Array[] = [];
  const onPart = ({ partition, czpi, publicInputs: own }: CheckedPartition) => {
    const held = buffers.hold('partition_input', 'ingest', czpi.length);
    stored[partition] = artifacts
      .put(inputRef(fence, partition), czpi)
      .finally(() => held.release());
    stored[partition].catch(() => {}); // Awaited below; a failed check must not leave it unhandled.
    publicInputs[partition] = own;
  };
  let checked: CheckedC1Answer;
  try {
    const task = { task: 'check-c1', c1Path, minerId, sectorNumber } as const;
    checked = (await threads.run(task, { signal, onPart })) as CheckedC1Answer;
  } catch (error) {
    if (!isVerdict(error)) throw error;
    await Promise.allSettled(stored);
    const problem = problemOf(error);
    setSpanError(span, problem);
    return refuseC1(redis, fence, problem);
  }
  const inputs = await Promise.all(stored);
  const allInputs = await artifacts.put(publicInputsRef(fence), Buffer.concat(publicInputs));
  return acceptC1(redis, fence, {
    circuitId: checked.circuitId,
    sectorBytes: checked.sectorBytes,
    witnessBytes: checked.witnessBytes,
    publicInputs: allInputs,
    inputs,
  });
}

/** Errors that say something about the C1 itself, not about us. */
const isVerdict = (error: unknown): boolean =>
  error instanceof CuzkError && error.code.startsWith('C1_');
