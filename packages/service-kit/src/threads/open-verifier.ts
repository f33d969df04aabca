import { ThreadPool } from './thread-pool.ts';
import type { VerifyAnswer, VerifyTask } from './verify-tasks.ts';

/** Groth16 verification on threads of its own: never on a loop that serves HTTP or feeds a device. */
export const openVerifier = (threads = 1): ThreadPool<VerifyTask, never, VerifyAnswer> =>
  new ThreadPool(new URL('../../dist/threads/verify-thread.js', import.meta.url), threads);

export type Verifier = ReturnType<typeof openVerifier>;
