import { setTimeout as delay } from 'node:timers/promises';
import type { Service } from '@cuzk/service-kit/open-service';
import { LIVE_KEY } from '@cuzk/service-kit/redis/keys';

/** Waits until no proof is on its way any more, looking every `pollMs`; after `timeoutMs` it returns all the same. */
export async function allEnded(
  { redis }: Service,
  { pollMs, timeoutMs }: { readonly pollMs: number; readonly timeoutMs: number },
): Promise<void> {
  const end = performance.now() + timeoutMs;
  while ((await redis.zcard(LIVE_KEY)) > 0 && performance.now() < end) await delay(pollMs);
}
