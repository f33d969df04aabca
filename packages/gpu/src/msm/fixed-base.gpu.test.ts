import { FR_MODULUS } from '@cuzk/core/field/fr';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { multipleOfGenerator } from '../curve/generator-multiple.ts';
import { allocatePoints, type CurveGroup, readPoints } from '../curve/point-segments.ts';
import type { OpenedDevice } from '../device/device.ts';
import { scalarStream, uploadScalars } from '../testing/curve-points.ts';
import { openTestDevice } from '../testing/software-device.ts';
import { openFixedBase } from './fixed-base.ts';

const R = FR_MODULUS;
const run = { phase: 'test' };
let opened: OpenedDevice;
beforeAll(async () => {
  opened = await openTestDevice();
});
afterAll(() => opened.close());

describe.each(['g1', 'g2'] as const)('fixed base of %s', (group: CurveGroup) => {
  const next = scalarStream(21);
  const scalars = [
    0n,
    1n,
    2n,
    R - 1n,
    R - 2n,
    (R - 1n) / 2n,
    (R + 1n) / 2n,
    1n << 254n,
    0xffffn,
    0x8000n,
    // digits that bring equal and opposite partial sums together
    (1n << 20n) - (1n << 10n),
    ...Array.from({ length: 70 }, (_, i) => 1n << BigInt(3 * i)),
    ...Array.from({ length: 70 }, (_, i) => (1n << BigInt(3 * i + 1)) - 1n),
    ...Array.from({ length: 149 }, next),
  ];

  it.each([10, 300, 20_000])('multiplies with a table for %i scalars', async (count) => {
    const { context } = opened;
    const fixed = await openFixedBase(context, group, count, run);
    const points = await fixed.multiply(uploadScalars(context, scalars, 128), run);
    const results = await readPoints(context, points, 0, scalars.length);
    scalars.forEach((scalar, i) => {
      expect(results[i], `scalar ${i}`).toEqual(multipleOfGenerator(group, scalar));
    });
    fixed.close();
  });

  it('writes into points that exist, across their segments', async () => {
    const { context } = opened;
    const fixed = await openFixedBase(context, group, 50, run);
    const points = allocatePoints(context, group, 90, 'target', { segmentPoints: 32 });
    const few = scalars.slice(0, 45);
    await fixed.multiply(uploadScalars(context, few, 16), run, { points, first: 0 });
    await fixed.multiply(uploadScalars(context, few, 16), run, { points, first: 45 });
    const expected = few.map((scalar) => multipleOfGenerator(group, scalar));
    expect(await readPoints(context, points, 0, 90)).toEqual([...expected, ...expected]);
    fixed.close();
  });
});
