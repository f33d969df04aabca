import { expect, it } from 'vitest';
import { createBufferPool } from '../device/buffer-pool.ts';
import { ringBytesFor } from '../device/staging-ring.ts';
import { LARGE_GPU, planMemory } from '../prover/memory-plan.ts';
import { makeSample } from '../testing/sample-circuits.ts';
import { mostOf, peaksOf, peakWithReuse, residentBytesOf, takeForProof } from './stream-memory.ts';
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

it('proofs that find just the room planned make no memory, with buffers of a few bytes beside', () => {
  const circuit = { shape, traits: LARGE_GPU, memory };
  const planned = planStreaming(shape, LARGE_GPU, 2 ** 40);
  const plan = { ...planned, reuse: true, largeTables: false } as NonNullable<typeof planned>;
  const ring = ringBytesFor(LARGE_GPU);
  const resident = residentBytesOf(plan, memory) + plan.waiting * memory.oneWitnessBytes;
  const bare = mostOf(peaksOf(circuit, plan));
  const least = peakWithReuse(circuit, plan, 0);
  expect(least).toBeLessThan(bare);
  let madeBytes = 0;
  const make = (size: number) => {
    madeBytes += size;
    return { size, label: '', destroy: () => {} };
  };
  const pool = createBufferPool(make, { limitBytes: least - ring, reuseLarger: 'any' });
  pool.take('srs', resident, '');
  pool.take('shape', 2 ** 18, '');
  for (const _ of [0, 1]) takeForProof(pool, circuit, plan);
  madeBytes = 0;
  for (const _ of [0, 1]) takeForProof(pool, circuit, plan);
  expect(madeBytes).toBe(0);
  expect(pool.peakBytes).toBeLessThanOrEqual(least - ring);
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
