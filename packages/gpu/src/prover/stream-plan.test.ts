import { expect, it } from 'vitest';
import { makeSample } from '../testing/sample-circuits.ts';
import { LARGE_GPU, planMemory } from './memory-plan.ts';
import { leastStreamingBytes, planStreaming } from './stream-plan.ts';

const { shape } = makeSample(3000, 1);
const memory = planMemory(shape, LARGE_GPU);
const least = leastStreamingBytes(shape, LARGE_GPU);
const peakOf = (plan: ReturnType<typeof planStreaming>): number =>
  Math.max(...Object.values(plan?.peakBytes ?? { none: Number.NaN }));

it('needs less than the whole SRS with its proof, and says what it needs at least', () => {
  expect(least).toBeLessThan(memory.provingBytes);
  expect(planStreaming(shape, LARGE_GPU, least - 1)).toBeUndefined();
  expect(planStreaming(shape, LARGE_GPU, least)).toMatchObject({ waiting: 1 });
});

it('stays within the budget, and streams no more with more of it', () => {
  let before = Number.POSITIVE_INFINITY;
  for (const factor of [1, 1.2, 1.5, 2, 4, 8]) {
    const plan = planStreaming(shape, LARGE_GPU, factor * least);
    expect(peakOf(plan)).toBeLessThanOrEqual(factor * least);
    const { each, alone } = plan?.streamedBytes ?? { each: Number.NaN, alone: Number.NaN };
    expect(each).toBeLessThanOrEqual(before);
    expect(alone).toBeGreaterThanOrEqual(each);
    before = each;
  }
});

it('keeps all of h and holds ten witnesses where there is room, and streams the queries', () => {
  const plan = planStreaming(shape, LARGE_GPU, 2 ** 40);
  const tails = memory.tailCount * (3 * 96 + 192);
  const queries = memory.srsBytes - memory.srs.h - tails;
  expect(plan).toMatchObject({
    waiting: 10,
    residentPoints: memory.srs.h / 96 - 1,
    largeTables: true,
    streamedBytes: { each: queries / 10, alone: queries },
  });
});
