import { CuzkError } from '@cuzk/core/errors';
import type { Redis } from '@cuzk/service-kit/redis/connection';
import { redisTimeMs } from '@cuzk/service-kit/redis/redis-time';
import { Type } from 'typebox';

/** Query parameter of whoever needs a proof by a time. */
export const Deadline = Type.String({
  format: 'date-time',
  description: 'The proof expires when it is not ready by then',
});

/** Unix ms, or null for none. Throws REQUEST_INVALID when the time has passed by the clock of Redis, which ends runs. */
export async function deadlineOf(redis: Redis, text: string | undefined): Promise<number | null> {
  if (text === undefined) return null;
  // a leap second, which Date does not know, is the second before it
  const at = Date.parse(text.replace(/:60(?=[.Zz+-])/, ':59'));
  if (at > (await redisTimeMs(redis))) return at;
  throw new CuzkError('REQUEST_INVALID', 'the deadline has passed', {
    pointer: '/deadline',
    expected: 'a time in the future',
    found: text.slice(0, 40),
  });
}
