import { CuzkError } from '@cuzk/core/errors';
import type { Redis } from 'ioredis';
import { runScript } from '../redis/scripts.ts';
import type { NextUnit, RunState } from './types.ts';
import { asList } from './wire.ts';

export interface RetriedProof {
  readonly run: number;
  /** Verified partition proofs of earlier runs that are kept. */
  readonly reused: number;
  readonly next: readonly NextUnit[];
}

interface WireRetry extends Partial<RetriedProof> {
  readonly outcome: 'started' | 'gone' | 'live' | 'final' | 'elsewhere';
  readonly state?: RunState;
  readonly proofId?: string;
}

/**
 * Starts a new run of a proof that failed or expired; its verified partition proofs are kept, the rest is made again
 * from its C1, which must still be in the artifact store. Throws PROOF_NOT_FOUND and RETRY_REFUSED (it is live, it
 * succeeded, it was cancelled, or another proof with the same content stands for it).
 */
export async function retryProof(
  redis: Redis,
  proofId: string,
  deadlineAt: number | null = null,
): Promise<RetriedProof> {
  const answer = await runScript<WireRetry>(redis, 'retry', { proofId, deadlineAt });
  const { outcome, run = 0, reused = 0 } = answer;
  if (outcome === 'started') return { run, reused, next: asList<NextUnit>(answer.next) };
  if (outcome === 'gone') throw new CuzkError('PROOF_NOT_FOUND', 'No proof has this id.');
  if (outcome === 'elsewhere') {
    throw new CuzkError('RETRY_REFUSED', 'Another proof with the same content stands for it.', {
      found: String(answer.proofId),
      action: 'Use that one.',
    });
  }
  throw new CuzkError('RETRY_REFUSED', 'Only a failed or expired proof has another run.', {
    expected: 'failed or expired',
    found: String(answer.state),
    ...(answer.state === 'cancelled' ? { action: 'Submit the C1 again: it was deleted.' } : {}),
  });
}
