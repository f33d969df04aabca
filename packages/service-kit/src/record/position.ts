import type { Redis } from 'ioredis';
import { lineKey, proofKey, roundKey, WEIGHTS_KEY } from '../redis/keys.ts';

/**
 * Partitions that will be dispatched before this one, as things stand: all of more urgent classes, those before it in
 * its tenant's line, and of other tenants of its class what their turns come to. Null when it does not wait.
 */
export async function positionOf(
  redis: Redis,
  proofId: string,
  partition: number,
): Promise<number | null> {
  const [member, priority, tenant] = await redis.hmget(
    proofKey(proofId),
    `p${partition}.pending`,
    'priority',
    'tenant',
  );
  if (!member) return null;
  const own = Number(priority);
  const rank = await redis.zrank(lineKey(own, tenant ?? ''), member);
  if (rank === null) return null;
  const weights = await redis.hgetall(WEIGHTS_KEY);
  const weightOf = (name: string) => Number(weights[name] ?? 1);
  const me = tenant || '-';
  let before = rank;
  for (let urgency = 0; urgency <= own; urgency++) {
    for (const other of await redis.lrange(roundKey(urgency), 0, -1)) {
      if (urgency === own && other === me) continue;
      const waiting = await redis.zcard(lineKey(urgency, other));
      const share = Math.ceil(((rank + 1) * weightOf(other)) / weightOf(me));
      before += urgency === own ? Math.min(waiting, share) : waiting;
    }
  }
  return before;
}
