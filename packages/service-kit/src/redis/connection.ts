import { CuzkError } from '@cuzk/core/errors';
import { Redis } from 'ioredis';
import type { Logger } from '../logger.ts';
import { corkWrites } from './cork-writes.ts';
import { type RedisAddress, redisOptionsOf } from './redis-settings.ts';

export type { Redis };

/**
 * `patient` (workers): commands wait for as long as Redis is away, with a short pause between tries, so that
 * a restart of Redis loses nothing. `prompt` (the API): commands fail at once, so that a client gets an answer.
 */
export type Patience = 'patient' | 'prompt';

const RETRY_MS_MAX = 1_000;
const PROMPT_TIMEOUT_MS = 2_000;
const FIRST_CONNECT_MS = 10_000;
/** Trying again does not help at a start. */
const LOGIN_REFUSED = /^(WRONGPASS|NOAUTH)\b/;

const OPTIONS = {
  patient: { maxRetriesPerRequest: null, enableOfflineQueue: true },
  prompt: { maxRetriesPerRequest: 1, enableOfflineQueue: false, commandTimeout: PROMPT_TIMEOUT_MS },
} as const;

/**
 * Connects and waits for the first answer. The caller closes it with `closeRedis`: BullMQ never closes a
 * connection it was given. Throws REDIS_UNAVAILABLE when nobody answers within ten seconds, or the
 * password is refused.
 */
export async function connectRedis(
  address: RedisAddress,
  patience: Patience,
  name: string,
  logger: Logger,
): Promise<Redis> {
  const redis = new Redis({
    ...redisOptionsOf(address),
    ...OPTIONS[patience],
    lazyConnect: true,
    connectionName: `cuzk-${name}`,
    enableReadyCheck: true,
    retryStrategy: (times) => Math.min(100 * times, RETRY_MS_MAX),
    sentinelRetryStrategy: (times) => Math.min(100 * times, RETRY_MS_MAX),
    // After a fail-over the old primary may still answer for a moment, and take nothing.
    reconnectOnError: (error) => (error.message.startsWith('READONLY') ? 2 : false),
  });
  corkWrites(redis);
  redis.on('error', (error: Error) => logger.warn({ err: error, name }, 'redis connection error'));
  const ready = new Promise<void>((resolve) => redis.once('ready', resolve));
  redis.connect().catch(() => {}); // Retried by the strategy above; each failure is an error event.
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    let found = 'nothing';
    timer = setTimeout(() => reject(unavailable(found)), FIRST_CONNECT_MS);
    redis.on('error', ({ message }: Error) => {
      found = message;
      if (LOGIN_REFUSED.test(message)) reject(unavailable(found));
    });
  });
  try {
    await Promise.race([ready, late]);
  } catch (error) {
    redis.disconnect();
    throw error;
  } finally {
    clearTimeout(timer);
  }
  return redis;
}

const unavailable = (found: string) =>
  new CuzkError('REDIS_UNAVAILABLE', 'Redis does not answer.', {
    expected: `an answer within ${FIRST_CONNECT_MS / 1000} s`,
    found,
    action: 'Check REDIS_URL and that the server runs.',
  });

/** Ends a connection in an orderly way, or at once when Redis is away. */
export async function closeRedis(redis: Redis): Promise<void> {
  if (redis.status !== 'ready') return redis.disconnect();
  await redis.quit().catch(() => redis.disconnect());
}

/** The same settings on a connection of its own (subscribers, blocking reads). */
export async function duplicateRedis(redis: Redis, name: string, logger: Logger): Promise<Redis> {
  const copy = redis.duplicate({
    maxRetriesPerRequest: null,
    enableOfflineQueue: true,
    commandTimeout: undefined as unknown as number,
    connectionName: `cuzk-${name}`,
  });
  corkWrites(copy);
  copy.on('error', (error: Error) => logger.warn({ err: error, name }, 'redis connection error'));
  if (copy.status === 'wait') copy.connect().catch(() => {});
  return copy;
}
