import { CuzkError } from '@cuzk/core/errors';
import type { Redis } from 'ioredis';

export interface RedisReport {
  /** Settings that are dangerous, or that could not be read. */
  readonly warnings: readonly string[];
}

/** Older ones lack what BullMQ needs of streams and of blocking reads. */
const VERSION_MIN = [6, 2] as const;

/**
 * Looks at what decides whether queues survive: version, eviction policy, memory limit, append-only file. Throws
 * REDIS_UNSUITABLE for a server that is too old or may evict keys, and with `strict` for anything that is otherwise
 * only warned of. Where CONFIG is forbidden, names what was not checked.
 */
export async function checkRedis(redis: Redis, strict = false): Promise<RedisReport> {
  const warnings: string[] = [];
  const version = await versionOf(redis);
  if (version === null) warnings.push('not checked (INFO is forbidden): version');
  else if (isOlder(version)) {
    throw new CuzkError('REDIS_UNSUITABLE', 'This Redis is too old.', {
      expected: `version ${VERSION_MIN.join('.')} or later, or Valkey`,
      found: `version ${version}`,
    });
  }
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
  if (strict && warnings.length > 0) {
    throw new CuzkError('REDIS_UNSUITABLE', 'Redis is not as REDIS_CHECK=refuse asks for.', {
      expected: 'noeviction, a memory limit and an append-only file, all of them readable',
      found: warnings.join('; '),
      action: 'Correct these settings of Redis, or set REDIS_CHECK=warn.',
    });
  }
  return { warnings };
}

/** As `6.2.14`; null where INFO is forbidden. Valkey says which Redis it is compatible with. */
async function versionOf(redis: Redis): Promise<string | null> {
  try {
    return /redis_version:([\d.]+)/.exec(await redis.info('server'))?.[1] ?? null;
  } catch (error) {
    if (isForbidden(error)) return null;
    throw error;
  }
}

function isOlder(version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return major < VERSION_MIN[0] || (major === VERSION_MIN[0] && minor < VERSION_MIN[1]);
}

const isForbidden = (error: unknown): boolean =>
  error instanceof Error && /unknown command|NOPERM|not allowed/i.test(error.message);

async function setting(redis: Redis, name: string): Promise<string | null> {
  try {
    const answer = (await redis.config('GET', name)) as unknown;
    if (Array.isArray(answer)) return answer.length > 1 ? String(answer[1]) : null;
    const value = (answer as Record<string, unknown> | null)?.[name];
    return value === undefined ? null : String(value);
  } catch (error) {
    if (isForbidden(error)) return null;
    throw error;
  }
}
