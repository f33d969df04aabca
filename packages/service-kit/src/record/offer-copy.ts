import type { Redis } from 'ioredis';
import { runScript } from '../redis/scripts.ts';
import type { NextUnit, StageUnit } from './types.ts';
import { asList } from './wire.ts';

/** An offer that is not taken by then is void. */
const OFFER_KEPT_MS = 5_000;

/**
 * Offers a partition that is being proved to a second worker (its name), which starts a copy; the first verified
 * result wins. Nothing when the attempt has ended or has a copy. The caller adds the job.
 */
export async function offerCopy(
  redis: Redis,
  proving: StageUnit,
  worker: string,
): Promise<readonly NextUnit[]> {
  const { proofId, run, partition, attempt } = proving;
  const args = { proofId, run, partition, attempt, worker, keptMs: OFFER_KEPT_MS };
  return asList((await runScript<{ next: NextUnit[] }>(redis, 'offer-copy', args)).next);
}
