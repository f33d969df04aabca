import { CuzkError } from '@cuzk/core/errors';
import type { Service } from '@cuzk/service-kit/open-service';
import type { ArtifactRef } from '@cuzk/service-kit/record/types';
import type { SynthThreads } from './threads/open-synth-threads.ts';
import type { CheckedPartition } from './threads/synth-tasks.ts';

/** What names the C1 and how it is read. */
export interface C1Source {
  readonly c1: ArtifactRef;
  readonly minerId: string;
  readonly sectorNumber: string;
}

/**
 * Runs `use` on an artifact that ingest derived from the C1. Where the artifact is damaged or gone, it is derived
 * again, put back under its name, and `use` runs once more: the same C1 gives the same bytes. Throws what `use`
 * throws, and ARTIFACT_DIGEST_MISMATCH when the C1 gives other bytes.
 */
export async function mendFromC1<T>(
  service: Service,
  threads: SynthThreads,
  source: C1Source,
  artifact: ArtifactRef,
  options: {
    readonly signal: AbortSignal;
    readonly pick: (partitions: readonly CheckedPartition[]) => Uint8Array;
    readonly use: () => Promise<T>;
  },
): Promise<T> {
  try {
    return await options.use();
  } catch (error) {
    if (!isDamage(error)) throw error;
    service.logger.warn({ err: error, ref: artifact.ref }, 'artifact made again from its C1');
  }
  const { artifacts } = service;
  const { minerId, sectorNumber } = source;
  const c1Path = await artifacts.localPath(source.c1);
  const partitions: CheckedPartition[] = [];
  await threads.run(
    { task: 'check-c1', c1Path, minerId, sectorNumber },
    { signal: options.signal, onPart: (part) => partitions.push(part) },
  );
  const mended = await artifacts.put(artifact.ref, options.pick(partitions));
  if (mended.sha256 !== artifact.sha256) {
    throw new CuzkError('ARTIFACT_DIGEST_MISMATCH', 'The C1 gives other bytes than before.', {
      expected: artifact.sha256,
      found: mended.sha256,
    });
  }
  return options.use();
}

const isDamage = (error: unknown): boolean =>
  error instanceof CuzkError &&
  (error.code === 'ARTIFACT_MISSING' || error.code === 'ARTIFACT_DIGEST_MISMATCH');
