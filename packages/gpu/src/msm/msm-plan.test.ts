import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { maxArenaPoints } from '../curve/pair-tree.ts';
import { foldedRows, foldSize } from '../curve/pair-tree-fold.ts';
import { POINT_BYTES } from '../curve/point-segments.ts';
import type { DeviceTraits } from '../device/context.ts';
import {
  bucketsInRun,
  foldShape,
  MAX_WINDOWS,
  MIN_WINDOWS,
  type MsmFold,
  type MsmPlan,
  planMsm,
  SCALAR_BITS,
  type WindowRun,
  windowBits,
  windowOffset,
  windowShape,
} from './msm-plan.ts';
import { windowHalves } from './msm-sort.ts';
import type { PointPart } from './point-parts.ts';

const traits = (software: boolean, maxBindingBytes: number): DeviceTraits => ({
  description: 'test',
  software,
  maxBindingBytes,
  maxBufferBytes: 2 ** 40,
  workgroupBytes: 16_384,
  workgroupInvocations: 256,
  storageBuffersPerStage: 8,
  timestamps: false,
});
const MESA = traits(true, 2 ** 27);
const NVIDIA = traits(false, 2 ** 31 - 4);
const SMALLEST = traits(false, 2 ** 27);

/** Running product and denominator of a pair (pair-tree.ts). */
const PAIR_BYTES = 96;
/** A binding starts at a multiple of 256 bytes. */
const POINTS_BETWEEN_BINDINGS = 256 / 32;

describe('window shapes', () => {
  it('cover 255 bits without gap or overlap', () => {
    for (let windows = MIN_WINDOWS; windows <= MAX_WINDOWS; windows++) {
      const shape = windowShape(windows);
      let bit = 0;
      for (let window = 0; window < windows; window++) {
        expect(windowOffset(shape, window)).toBe(bit);
        bit += windowBits(shape, window);
      }
      expect(bit).toBe(SCALAR_BITS);
    }
    expect(() => windowShape(MAX_WINDOWS + 1)).toThrow(RangeError);
    expect(() => windowShape(MIN_WINDOWS - 1)).toThrow(RangeError);
  });

  it('hold every digit of the largest folded scalar, and of zero', () => {
    const r = 0x73eda753299d7d483339d80809a1d80553bda402fffe5bfeffffffff00000001n;
    for (let windows = MIN_WINDOWS; windows <= MAX_WINDOWS; windows++) {
      const shape = windowShape(windows);
      const halves = windowHalves(shape).reduceRight((sum, w) => (sum << 32n) | BigInt(w), 0n);
      for (const scalar of [0n, 1n, (r - 1n) / 2n, (r - 1n) / 2n - 1n]) {
        const shifted = scalar + halves;
        expect(shifted < 1n << BigInt(SCALAR_BITS), `${windows} windows`).toBe(true);
        let sum = 0n;
        for (let window = 0; window < windows; window++) {
          const bits = BigInt(windowBits(shape, window));
          const offset = BigInt(windowOffset(shape, window));
          const digit = ((shifted >> offset) & ((1n << bits) - 1n)) - (1n << (bits - 1n));
          sum += digit << offset;
        }
        expect(sum).toBe(scalar);
      }
    }
  });
});

/** What is sorted at once. */
const sortsOf = (plan: MsmPlan, { parts }: MsmFold, { count, runs }: MsmFold['parts'][number]) =>
  runs.map((run) => {
    const buckets = bucketsInRun(plan, run);
    const entries = run.count * count;
    return { buckets, entries, points: entries + (parts.length > 1 ? buckets : 0) };
  });

/** Whether these follow one another from end to end. */
function isCovered(whole: WindowRun, pieces: readonly WindowRun[]): boolean {
  let next = whole.first;
  for (const { first, count } of pieces) {
    if (first !== next || count < 1) return false;
    next += count;
  }
  return next === whole.first + whole.count;
}

/** Whether a part can be bound, and is where it says. */
const isPlaced = (
  { segmentPoints }: MsmPlan,
  { segment, start, first, count }: PointPart,
): boolean =>
  first === segment * segmentPoints + start &&
  start + count <= segmentPoints &&
  start % POINTS_BETWEEN_BINDINGS === 0;

describe('MSM plan', () => {
  const check = (plan: MsmPlan, device: DeviceTraits, group: 'g1' | 'g2'): void => {
    const rows = Math.floor(device.maxBindingBytes / POINT_BYTES[group]);
    const sorts = plan.folds.flatMap((fold) =>
      fold.parts.flatMap((part) => sortsOf(plan, fold, part)),
    );
    const most = (key: keyof (typeof sorts)[0]): number =>
      sorts.reduce((max, sort) => Math.max(max, sort[key]), 0);
    expect(most('points')).toBeLessThanOrEqual(plan.arenaPoints);
    expect(most('points')).toBeLessThanOrEqual(plan.elements);
    expect(most('entries')).toBeLessThanOrEqual(plan.runEntries);
    expect(most('buckets')).toBeLessThanOrEqual(plan.runBuckets);
    for (const { parts, ...windows } of plan.folds) {
      expect(parts.filter(({ runs }) => !isCovered(windows, runs))).toEqual([]);
      expect(parts.filter((part) => !isPlaced(plan, part))).toEqual([]);
      expect(isCovered({ first: 0, count: plan.count }, parts)).toBe(true);
    }
    expect(isCovered({ first: 0, count: plan.windows }, plan.folds)).toBe(true);
    let folded = 0;
    for (const fold of plan.folds) {
      const size = foldSize(foldShape(plan, fold));
      expect(size.sums).toBeLessThanOrEqual(plan.arenaPoints);
      expect(size.elements).toBeLessThanOrEqual(plan.elements);
      expect(bucketsInRun(plan, fold)).toBeLessThanOrEqual(plan.foldBuckets);
      folded += foldedRows(foldShape(plan, fold));
    }
    expect(folded).toBe(SCALAR_BITS);
    expect(plan.arenaPoints).toBeLessThanOrEqual(maxArenaPoints(device, group));
    expect(Math.floor(plan.elements / 2) * PAIR_BYTES).toBeLessThanOrEqual(device.maxBindingBytes);
    expect(plan.foldBuckets).toBeLessThanOrEqual(rows);
    expect(plan.elements * 4).toBeLessThanOrEqual(device.maxBindingBytes);
  };

  it('fits every binding and covers every window, whatever the size', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 2 ** 27 }),
        fc.constantFrom(MESA, NVIDIA, SMALLEST),
        fc.constantFrom('g1' as const, 'g2' as const),
        fc.boolean(),
        (count, device, group, arriving) =>
          check(planMsm(count, device, group, { arriving }), device, group),
      ),
      { numRuns: 60, seed: 1 },
    );
  });

  it.each([1, 2, 1000, 2 ** 16, 2 ** 20, 2 ** 22, 2 ** 24, 2 ** 27])(
    'is sound for %i points',
    (count) => {
      check(planMsm(count, NVIDIA, 'g1'), NVIDIA, 'g1');
      check(planMsm(count, MESA, 'g2'), MESA, 'g2');
    },
  );

  it('takes fewer, wider windows for more points', () => {
    const windows = [2 ** 10, 2 ** 14, 2 ** 18, 2 ** 22].map(
      (count) => planMsm(count, NVIDIA, 'g1').windows,
    );
    expect(windows).toEqual([...windows].sort((a, b) => b - a));
    expect(new Set(windows).size).toBe(windows.length);
  });

  it('needs some 1.6 G additions for 2^27 points, and 61 M for 2^22', () => {
    expect(planMsm(2 ** 27, NVIDIA, 'g1').additions / 1e9).toBeCloseTo(1.6, 1);
    expect(planMsm(2 ** 22, MESA, 'g1').additions / 1e6).toBeLessThan(64);
  });

  it('begins with some of the points where scalars arrive, those of the first segment, and many', () => {
    const partsOf = (count: number, device: DeviceTraits, arriving: boolean) =>
      planMsm(count, device, 'g1', { arriving }).folds.map(({ parts }) => parts.length);
    expect(partsOf(2 ** 22, NVIDIA, true)).toEqual([3]);
    expect(partsOf(2 ** 22, NVIDIA, false)).toEqual([1]);
    expect(partsOf(2 ** 18, NVIDIA, true)).toEqual([1]);
    expect(partsOf(2 ** 25, NVIDIA, true)[0]).toBe(4);
    // its scalars are there at once
    expect(partsOf(2 ** 18, MESA, true)).toEqual([1]);
  });

  it('takes no more memory where scalars arrive', () => {
    for (const count of [2 ** 20, 2 ** 22, 2 ** 24]) {
      const [whole, parts] = [false, true].map((arriving) =>
        planMsm(count, NVIDIA, 'g1', { arriving }),
      );
      expect(parts.runEntries).toBeLessThanOrEqual(2 ** 25);
      expect(parts.elements).toBeLessThan(1.3 * whole.elements);
    }
  });

  it('keeps entries below the bound it is given', () => {
    const plan = planMsm(2 ** 16, NVIDIA, 'g1', { maxEntries: 2 ** 18 });
    expect(plan.runEntries).toBeLessThanOrEqual(2 ** 18);
  });

  it('refuses windows that do not fit', () => {
    expect(() => planMsm(2 ** 22, MESA, 'g1', { windows: 11 })).toThrow(RangeError);
  });
});
