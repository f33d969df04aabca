import type { Redis } from 'ioredis';

/**
 * Milliseconds since Redis last came back, Infinity when it never was away. While it was, nobody could say
 * that they live: silence right after says nothing. A server that has just started counts as come back.
 */
export function watchReconnects(redis: Redis): () => number {
  let backAt = Number.NEGATIVE_INFINITY;
  const note = () => {
    backAt = performance.now();
  };
  redis.on('close', () => redis.once('ready', note));
  redis.info('server').then(
    (text) => {
      const uptimeMs = 1000 * Number(/uptime_in_seconds:(\d+)/.exec(text)?.[1] ?? Number.NaN);
      const startedAt = performance.now() - uptimeMs;
      if (Number.isFinite(startedAt)) backAt = Math.max(backAt, startedAt);
    },
    () => note(),
  );
  return () => performance.now() - backAt;
}
