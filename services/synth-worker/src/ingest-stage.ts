import { CuzkError } from '@cuzk/core/errors';
import { inputRef, publicInputsRef } from '@cuzk/service-kit/artifacts/names';
import type { Service } from '@cuzk/service-kit/open-service';
import type { StageContext } from '@cuzk/service-kit/queues/stage-options';
import { acceptC1, acceptPartition, refuseC1 } from '@cuzk/service-kit/record/changes';
import { problemOf } from '@cuzk/service-kit/record/problem';
import type { ArtifactRef, Change, IngestClaim } from '@cuzk/service-kit/record/types';
import { setSpanError } from '@cuzk/service-kit/telemetry/trace-context';
import type { SynthThreads } from './threads/open-synth-threads.ts';
import type { CheckedC1Answer, CheckedPartition } from './threads/synth-tasks.ts';

/**
 * Reads the C1 and checks all that can be checked without proving. Each partition that was found good is stored and
 * may be synthesized while the next one is read; the verdict comes at the end. A C1 at fault ends the run with its
 * problem and all that was begun; a fault of ours throws and is retried.
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
  const begin = async ({ facts, partition, czpi }: CheckedPartition): Promise<ArtifactRef> => {
    const held = buffers.hold('partition_input', 'ingest', czpi.length);
    try {
      const input = await artifacts.put(inputRef(fence, partition), czpi);
      await acceptPartition(redis, fence, { ...facts, partition, input });
      return input;
    } finally {
      held.release();
    }
  };
  const onPart = (part: CheckedPartition) => {
    const { partition, publicInputs: own } = part;
    stored[partition] = begin(part);
    stored[partition].catch(() => {}); // Awaited below; a failed check must not leave it unhandled.
    publicInputs[partition] = own;
  };
  let checked: CheckedC1Answer;
  try {
    const task = { task: 'check-c1', c1Path, minerId, sectorNumber } as const;
    checked = (await threads.run(task, { signal, onPart })) as CheckedC1Answer;
  } catch (error) {
    await Promise.allSettled(stored); // Nothing is written after the end of this attempt.
    if (!isVerdict(error)) throw error;
    const problem = problemOf(error);
    setSpanError(span, problem);
    return refuseC1(redis, fence, problem);
  }
  const inputs = await Promise.all(stored);
  const allInputs = await artifacts.put(publicInputsRef(fence), Buffer.concat(publicInputs));
  return acceptC1(redis, fence, { ...checked.facts, publicInputs: allInputs, inputs });
}

/** Errors that say something about the C1 itself, not about us. */
const isVerdict = (error: unknown): boolean =>
  error instanceof CuzkError && error.code.startsWith('C1_');
