import { CuzkError } from '@cuzk/core/errors';
import type { Redis } from 'ioredis';

export interface RedisReport {
  /** Settings that are dangerous, or that could not be read. */
  readonly warnings: readonly string[];
}

/**
 * Looks at the settings that decide whether queues survive: eviction policy, memory limit, append-only file.
 * Throws REDIS_UNSUITABLE when keys may be evicted. Where CONFIG is forbidden, names what was not checked.
 */
export async function checkRedis(redis: Redis): Promise<RedisReport> {
  const warnings: string[] = [];
  const policy = await setting(redis, 'maxmemory-policy');
  const maxMemory = await setting(redis, 'maxmemory');
  const appendOnly = await setting(redis, 'appendonly');
  if (policy !== null && policy !== 'noeviction') {
    throw new CuzkError('REDIS_UNSUITABLE', 'Redis may evict keys: proofs would vanish.', {
      expected: 'maxmemory-policy noeviction',
      found: `maxmemory-policy ${policy}`,
      action: 'Set the policy, or use a Redis of its own for this service.',
    });
  }
  const unread = Object.entries({
    'maxmemory-policy': policy,
    maxmemory: maxMemory,
    appendonly: appendOnly,
  })
    .filter(([, value]) => value === null)
    .map(([name]) => name);
  if (unread.length > 0) warnings.push(`not checked (CONFIG is forbidden): ${unread.join(', ')}`);
  if (maxMemory === '0')
    warnings.push('maxmemory is not set: Redis may take all memory of its host');
  if (appendOnly === 'no') warnings.push('appendonly is off: a restart of Redis loses every proof');
  return { warnings };
}

async function setting(redis: Redis, name: string): Promise<string | null> {
  try {
    const answer = (await redis.config('GET', name)) as unknown;
    if (Array.isArray(answer)) return answer.length > 1 ? String(answer[1]) : null;
    const value = (answer as Record<string, unknown> | null)?.[name];
    return value === undefined ? null : String(value);
  } catch (error) {
    if (error instanceof Error && /unknown command|NOPERM|not allowed/i.test(error.message))
      return null;
    throw error;
  }
}
