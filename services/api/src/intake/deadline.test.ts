import type { Redis } from '@cuzk/service-kit/redis/connection';
import { useTestRedis } from '@cuzk/service-kit/testing/use-test-redis';
import { afterEach, expect, it, vi } from 'vitest';
import { deadlineOf } from './deadline.ts';

let redis: Redis;
useTestRedis((opened) => {
  redis = opened;
});
afterEach(() => {
  vi.useRealTimers();
});

it('a deadline is a time in the future, in any zone, a leap second too', async () => {
  expect(await deadlineOf(redis, undefined)).toBeNull();
  expect(await deadlineOf(redis, '2100-01-01T02:00:00+02:00')).toBe(Date.UTC(2100, 0, 1));
  expect(await deadlineOf(redis, '2100-12-31T23:59:60Z')).toBe(Date.UTC(2100, 11, 31, 23, 59, 59));
  expect(await deadlineOf(redis, '2100-12-31T23:59:60.5+00:00')).toBe(
    Date.UTC(2100, 11, 31, 23, 59, 59, 500),
  );
  await expect(deadlineOf(redis, '2016-12-31T23:59:60Z')).rejects.toThrow('has passed');
});

it('the clock of Redis says whether it has passed, whatever that of this process says', async () => {
  const soon = new Date(Date.now() + 60_000).toISOString();
  const over = new Date(Date.now() - 60_000).toISOString();
  vi.setSystemTime(Date.now() + 3_600_000);
  expect(await deadlineOf(redis, soon)).toBe(Date.parse(soon));
  vi.setSystemTime(Date.now() - 7_200_000);
  await expect(deadlineOf(redis, over)).rejects.toThrow('has passed');
});
