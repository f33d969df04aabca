import { g1Sum, g2Sum } from '@cuzk/core/curve/msm';
import type { G1Affine, G2Affine } from '@cuzk/core/curve/points';
import { bitmapOf, hasBit, rankOf, ranksOf, setBit } from '@cuzk/core/r1cs/bitmap';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { multipleOfGenerator } from '../curve/generator-multiple.ts';
import type { AffineOf, CurveGroup } from '../curve/point-segments.ts';
import type { OpenedDevice } from '../device/device.ts';
import { seededWords } from '../field/seeded-words.ts';
import { generatorMultiples, uploadPoints, uploadTestWords } from '../testing/curve-points.ts';
import { withOverwritingPool } from '../testing/overwriting-pool.ts';
import { openTestDevice } from '../testing/software-device.ts';
import { openSelectedSums, sumSelected } from './sum-selected.ts';
import { countSelected } from './sum-selected-counts.ts';
import { releaseSelection, uploadSelection } from './sum-selected-density.ts';
import { piecesFor } from './sum-selected-size.ts';

const MOST = 1500;
const run = { phase: 'test' };
/** By rounds to the end, and with complete additions at the end. */
const ways = [0, 64, 4096].map((late) => ({ ...piecesFor({ software: true }), late }));
let opened: OpenedDevice;
beforeAll(async () => {
  opened = await openTestDevice();
});
afterAll(() => opened.close());

function bitmap(bits: number, pick: (i: number) => boolean): Uint32Array<ArrayBuffer> {
  const words = bitmapOf(bits);
  for (let i = 0; i < bits; i++) if (pick(i)) setBit(words, i);
  return words as Uint32Array<ArrayBuffer>;
}

describe.each(['g1', 'g2'] as const)('sum of selected points of %s', (group: CurveGroup) => {
  const multiples = generatorMultiples(group, MOST);
  const random = (seed: number) => {
    const words = seededWords(seed);
    const bits = Array.from({ length: MOST }, () => (words() & 1) === 1);
    return (i: number): boolean => bits[i];
  };
  const picks: Record<string, (i: number) => boolean> = {
    none: () => false,
    all: () => true,
    random: random(3),
    'the first': (i) => i === 0,
    'a few': (i) => i % 400 === 77,
  };

  it.each(
    Object.keys(picks).flatMap((name) => [1, 31, 32, 33, MOST].map((count) => ({ name, count }))),
  )('$name of $count', async ({ name, count }) => {
    const { context } = opened;
    const plane = bitmap(count, picks[name]);
    // bits after the last point count for nothing
    if (count % 32 !== 0) plane[plane.length - 1] |= 0x80000000;
    const arrays = [{ points: uploadPoints(context, group, multiples.slice(0, count)) }];
    let expected = 0n;
    for (let i = 0; i < count; i++) if (picks[name](i)) expected += BigInt(i + 1);
    for (const pieces of ways) {
      const planes = [uploadTestWords(context, plane)];
      const [[sum]] = await sumSelected(context, arrays, planes, run, pieces);
      expect(sum).toEqual(multipleOfGenerator(group, expected));
    }
  });

  it('sums several arrays by one compacted selection, over segments, chunks and pieces', async () => {
    const { context } = opened;
    const density = bitmap(MOST, (i) => i % 3 !== 1);
    const firstBase = 5;
    const ranks = ranksOf(density);
    const selection = uploadSelection(context, density, MOST, firstBase);
    expect(selection.endBase).toBe(1005);
    const plane = bitmap(MOST, picks.random);
    const forward = multiples.slice(0, 1005);
    const arrays = [
      { points: uploadPoints(context, group, forward, 256), selection },
      // the last point is a hole: infinity
      { points: uploadPoints(context, group, [...forward.slice(0, 1004), null], 512), selection },
      { points: uploadPoints(context, group, [...forward].reverse(), 2048), selection },
      // another selection: all points
      { points: uploadPoints(context, group, multiples, 512) },
    ];
    const pieces = { chunkWords: 20, references: 100, leftOver: 4, late: 20, kept: 1 };
    const planes = [uploadTestWords(context, plane)];
    const [sums] = await sumSelected(context, arrays, planes, run, pieces);
    let [one, two, three, four] = [0n, 0n, 0n, 0n];
    for (let i = 0; i < MOST; i++) {
      if (picks.random(i)) four += BigInt(i + 1);
      if (!picks.random(i) || !hasBit(density, i)) continue;
      const base = firstBase + rankOf(density, ranks, i);
      one += BigInt(base + 1);
      two += base === 1004 ? 0n : BigInt(base + 1);
      three += BigInt(1005 - base);
    }
    expect(sums).toEqual([one, two, three, four].map((k) => multipleOfGenerator(group, k)));
    releaseSelection(context, selection);
  });

  it('sums for several planes what it sums for each of them', async () => {
    const { context } = opened;
    const selection = uploadSelection(
      context,
      bitmap(MOST, (i) => i % 5 !== 0),
      MOST,
      0,
    );
    const points = uploadPoints(context, group, multiples, 512);
    const arrays = [{ points }, { points, selection }];
    const picked = [picks.random, picks.none, picks.all, random(4)].map((pick) =>
      bitmap(MOST, pick),
    );
    const planes = picked.map((words) => uploadTestWords(context, words));
    planes.push(planes[0]);
    const pieces = { chunkWords: 20, references: 100, leftOver: 4, late: 100, kept: 1 };
    const together = await sumSelected(context, arrays, planes, run, pieces);
    expect(together).toHaveLength(planes.length);
    for (const [k, plane] of planes.entries()) {
      const [alone] = await sumSelected(context, arrays, [plane], run, pieces);
      expect(together[k]).toEqual(alone);
    }
    const all = BigInt(MOST * (MOST + 1)) / 2n;
    expect(together[1]).toEqual([null, null]);
    expect(together[2][0]).toEqual(multipleOfGenerator(group, all));
    releaseSelection(context, selection);
  });

  const density = bitmap(MOST, (i) => i % 3 !== 1);
  const ranks = ranksOf(density);
  const FIRST_BASE = 5;
  /** The bit whose base is the first from `base` on. */
  const bitOfBase = (base: number): number => {
    let bit = 0;
    while (bit < MOST && FIRST_BASE + rankOf(density, ranks, bit) < base) bit++;
    return bit;
  };

  it.each([
    { what: 'all points', count: MOST, bitOf: (base: number) => base },
    { what: 'points of a selection', count: 1005, bitOf: bitOfBase },
  ])('gives the same sum of $what piece by piece', async ({ count, bitOf }) => {
    const { context } = opened;
    const selection = uploadSelection(context, density, MOST, FIRST_BASE);
    const of = count === MOST ? {} : { selection };
    const plane = uploadTestWords(context, bitmap(MOST, picks.random));
    const forward = multiples.slice(0, count);
    const whole = { points: uploadPoints(context, group, forward, 256), ...of };
    const [[expected]] = await sumSelected(context, [whole], [plane], run);
    const small = { chunkWords: 20, references: 100, leftOver: 4, late: 20, kept: 1 };
    const passing = Array.from({ length: Math.ceil(count / 512) }, (_, i) => {
      const firstPoint = 512 * i;
      const end = Math.min(firstPoint + 512, count);
      const points = { group, count: end - firstPoint, segmentPoints: 256 };
      const piece = { firstPoint, firstBit: bitOf(firstPoint), endBit: bitOf(end) };
      return { points, piece, ...of };
    });
    const counts = await countSelected(
      context,
      passing.map((bases) => [bases]),
      [plane],
      run,
      small,
    );
    const sums: AffineOf<CurveGroup>[][] = [[], [], []];
    for (const [i, bases] of passing.entries()) {
      const { firstPoint } = bases.piece;
      const values = forward.slice(firstPoint, firstPoint + 512);
      const points = uploadPoints(context, group, values, 256);
      const nothing = counts[i].map((chunk) => chunk.map((below) => below.map(() => 0)));
      for (const [way, known] of [undefined, counts[i], nothing].entries()) {
        const options = known === undefined ? {} : { counts: known };
        const arrays = [{ ...bases, points }];
        const [[sum]] = await sumSelected(context, arrays, [plane], run, small, options);
        sums[way].push(sum);
      }
    }
    const total = (all: AffineOf<CurveGroup>[]) =>
      group === 'g1' ? g1Sum(all as G1Affine[]) : g2Sum(all as G2Affine[]);
    expect(total(sums[0])).toEqual(expected);
    // the same one after another, with what they leave folded whenever there is no room for more
    const kept = { ...small, chunkWords: 1000, references: 1000, leftOver: 64, kept: 2 };
    const sets = passing.map((bases) => [bases]);
    const added = await openSelectedSums(context, group, sets, [plane, plane], run, kept);
    for (const bases of passing) {
      const { firstPoint } = bases.piece;
      const points = uploadPoints(context, group, forward.slice(firstPoint, firstPoint + 512), 256);
      await added.add([{ ...bases, points }]);
    }
    const { result } = await added.end();
    added.close();
    expect(await result).toEqual([[expected], [expected]]);
    // what was counted before is what is summed
    expect(total(sums[1])).toEqual(expected);
    expect(total(sums[2])).toBeNull();
    releaseSelection(context, selection);
  });

  it('refuses a piece that does not begin with a segment', async () => {
    const { context } = opened;
    const points = uploadPoints(context, group, multiples.slice(0, 300), 256);
    const piece = { firstPoint: 100, firstBit: 0, endBit: 300 };
    const plane = uploadTestWords(context, bitmap(MOST, picks.random));
    await expect(sumSelected(context, [{ points, piece }], [plane], run)).rejects.toThrow(
      'multiple of 256',
    );
  });

  it('adds equal and opposite points', async () => {
    const { context } = opened;
    const value = (i: number): bigint => [1n, 1n, 3n, -3n, 0n, 2n, 2n, 2n][i % 8];
    const points = Array.from({ length: 203 }, (_, i) => multipleOfGenerator(group, value(i)));
    const plane = uploadTestWords(
      context,
      bitmap(203, () => true),
    );
    const arrays = [{ points: uploadPoints(context, group, points) }];
    const expected = points.reduce((total, _, i) => total + value(i), 0n);
    for (const pieces of ways) {
      const [[sum]] = await sumSelected(context, arrays, [plane], run, pieces);
      expect(sum).toEqual(multipleOfGenerator(group, expected));
    }
  });

  it('gives nothing back that recorded work still reads', async () => {
    const context = withOverwritingPool(opened.context);
    const selection = uploadSelection(
      context,
      bitmap(MOST, () => true),
      MOST,
      0,
    );
    const points = uploadPoints(context, group, multiples);
    // the second array has another selection, so its list follows that of the first
    const arrays = [{ points }, { points, selection }];
    const plane = uploadTestWords(context, bitmap(MOST, picks.random));
    let expected = 0n;
    for (let i = 0; i < MOST; i++) if (picks.random(i)) expected += BigInt(i + 1);
    const sum = multipleOfGenerator(group, expected);
    for (const pieces of ways) {
      expect(await sumSelected(context, arrays, [plane], run, pieces)).toEqual([[sum, sum]]);
    }
    releaseSelection(context, selection);
  });

  it('refuses arrays shorter than their selection', async () => {
    const { context } = opened;
    const selection = uploadSelection(
      context,
      bitmap(64, () => true),
      64,
      1,
    );
    const points = uploadPoints(context, group, multiples.slice(0, 64));
    const plane = uploadTestWords(
      context,
      bitmap(64, () => true),
    );
    await expect(sumSelected(context, [{ points, selection }], [plane], run)).rejects.toThrow(
      'expected 65 points or more, got 64',
    );
  });
});
