import { ThreadPool } from '@cuzk/service-kit/threads/thread-pool';
import type { CheckedPartition, SynthAnswer, SynthTask } from './synth-tasks.ts';

/** Threads for synthesis and for the checks of ingest. */
export const openSynthThreads = (
  threads: number,
): ThreadPool<SynthTask, CheckedPartition, SynthAnswer> =>
  new ThreadPool(new URL('../../dist/threads/synth-thread.js', import.meta.url), threads);

export type SynthThreads = ReturnType<typeof openSynthThreads>;
