import { expect, it } from 'vitest';
import { createBufferPool, type PoolBound } from './buffer-pool.ts';

const ALL: PoolBound = { limitBytes: Number.POSITIVE_INFINITY, reuseLarger: false };

function poolOf(bound = ALL) {
  const destroyed: number[] = [];
  const made: number[] = [];
  const pool = createBufferPool((size) => {
    made.push(size);
    return { size, label: '', destroy: () => destroyed.push(size) };
  }, bound);
  const take = (size: number) => pool.take('scratch', size, `of ${size}`);
  return { pool, take, made, destroyed };
}

it('hands out what was given back, of the same size only, and counts by class', () => {
  const { pool, take, made } = poolOf();
  const first = take(1000);
  expect(first.size).toBe(1008);
  pool.give(first);
  expect(take(990)).not.toBe(first);
  expect(take(1001)).toBe(first);
  expect(made).toEqual([1008, 992]);
  expect(pool.bytesInUse.scratch).toBe(2000);
  expect(() => pool.give({ ...first })).toThrow('not in use');
});

it('destroys what was idle longest where a new buffer would exceed the limit, and no more than that', () => {
  const { pool, take, destroyed } = poolOf({ limitBytes: 4096, reuseLarger: false });
  for (const buffer of [1024, 512, 2048].map(take)) pool.give(buffer);
  take(1040);
  expect(destroyed).toEqual([1024]);
  expect(pool.idleBytes).toBe(2560);
  take(1536);
  expect(destroyed).toEqual([1024, 512, 2048]);
  take(4096);
  expect(pool.bytesInUse.scratch).toBe(1040 + 1536 + 4096);
});

it('makes room when a bound begins, and forgets the bound when it ends', async () => {
  const { pool, take, destroyed } = poolOf();
  for (const buffer of [1024, 2048].map(take)) pool.give(buffer);
  await pool.within({ limitBytes: 2048, reuseLarger: false }, async () => {
    expect(destroyed).toEqual([1024]);
    await pool.within({ limitBytes: 9999, reuseLarger: false }, async () => {
      take(16);
      expect(destroyed).toEqual([1024, 2048]);
    });
  });
  for (const buffer of [4096, 8192].map(take)) pool.give(buffer);
  expect(pool.idleBytes).toBe(4096 + 8192);
});

it('reuses an idle buffer up to three times too large, only where a new one has no room', () => {
  const { pool, take, destroyed } = poolOf({ limitBytes: 8192, reuseLarger: 'any' });
  const large = [1024, 2048, 4096].map(take);
  for (const buffer of large) pool.give(buffer);
  expect(take(512).size).toBe(512);
  // the smallest that will do
  expect(take(1040)).toBe(large[1]);
  // too large for so little: room is made
  expect(take(912)).toBe(large[0]);
  expect(take(1360).size).toBe(1360);
  expect(destroyed).toEqual([4096]);
  expect(pool.peakBytes).toBe(7680);
});

it('lends evaluations alone, up to half too large and to scratch alone, where it is told to', () => {
  const { pool, take, made } = poolOf({ limitBytes: 9000, reuseLarger: 'evaluations' });
  const idle = [take(4096), take(1504), pool.take('evaluations', 1024, '')];
  for (const buffer of idle) pool.give(buffer);
  made.length = 0;
  expect(pool.take('srs', 1008, '').size).toBe(1008);
  expect(take(672).size).toBe(672);
  expect(take(1040).size).toBe(1040);
  expect(made).toEqual([1008, 672, 1040]);
  expect(take(688)).toBe(idle[2]);
  expect(made).toHaveLength(3);
});
