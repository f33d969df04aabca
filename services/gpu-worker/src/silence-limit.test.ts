import { expect, it } from 'vitest';
import { SilenceLimit } from './silence-limit.ts';

it('is the configured time until a request of the kind has ended well', () => {
  const limit = new SilenceLimit(120_000);
  limit.paused(1, 3_000);
  expect(limit.msFor('prove')).toBe(120_000);
  limit.ended(1, 'prove', true);
  expect(limit.msFor('prove')).toBe(30_000);
  expect(limit.msFor('load')).toBe(120_000);
});

it('follows the longest pause, and not that of requests that failed', () => {
  const limit = new SilenceLimit(120_000);
  for (const [request, ms, well] of [
    [1, 2_000, true],
    [2, 90_000, false],
    [3, 1_500, true],
  ] as const) {
    limit.paused(request, 100);
    limit.paused(request, ms);
    limit.ended(request, 'prove', well);
  }
  expect(limit.msFor('prove')).toBe(20_000);
});

it('is never below ten seconds nor above the configured time', () => {
  const limit = new SilenceLimit(60_000);
  limit.paused(1, 5);
  limit.ended(1, 'prove', true);
  expect(limit.msFor('prove')).toBe(10_000);
  limit.paused(2, 50_000);
  limit.ended(2, 'prove', true);
  expect(limit.msFor('prove')).toBe(60_000);
});
