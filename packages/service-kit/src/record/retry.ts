import { CuzkError } from '@cuzk/core/errors';
import type { Redis } from 'ioredis';
import { runScript } from '../redis/scripts.ts';
import { quotaExceeded } from './create-proof.ts';
import { NO_TENANT, type Tenant } from './tenant.ts';
import type { NextUnit, RunState } from './types.ts';
import { asList } from './wire.ts';

export interface RetriedProof {
  readonly run: number;
  /** Verified partition proofs of earlier runs that are kept. */
  readonly reused: number;
  readonly next: readonly NextUnit[];
}

interface WireRetry extends Partial<RetriedProof> {
  readonly outcome: 'started' | 'gone' | 'live' | 'final' | 'elsewhere' | 'quota';
  readonly state?: RunState;
  readonly live?: number;
  readonly proofId?: string;
}

/**
 * Starts a new run of a proof that failed or expired; its verified partition proofs are kept, the rest is made again
 * from its C1, which must still be in the artifact store. Throws PROOF_NOT_FOUND and RETRY_REFUSED (it is live, it
 * succeeded, it was cancelled, or another proof with the same content stands for it), and QUOTA_EXCEEDED when `tenant`,
 * whose proof it is, has as many live proofs as it may.
 */
export async function retryProof(
  redis: Redis,
  proofId: string,
  deadlineAt: number | null = null,
  tenant: Tenant = NO_TENANT,
): Promise<RetriedProof> {
  const { weight, maxLiveProofs: maxLive } = tenant;
  const args = { proofId, deadlineAt, weight, maxLive };
  const answer = await runScript<WireRetry>(redis, 'retry', args);
  const { outcome, run = 0, reused = 0, live = 0 } = answer;
  if (outcome === 'started') return { run, reused, next: asList<NextUnit>(answer.next) };
  if (outcome === 'gone') throw new CuzkError('PROOF_NOT_FOUND', 'No proof has this id.');
  if (outcome === 'quota') throw quotaExceeded(tenant, live);
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
