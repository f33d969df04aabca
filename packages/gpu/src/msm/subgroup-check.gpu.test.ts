import { g1 } from '@cuzk/core/curve/g1';
import { isInG1, isInG2 } from '@cuzk/core/curve/noble-points';
import type { G1Affine, G2Affine } from '@cuzk/core/curve/points';
import { chacha8Words } from '@cuzk/core/porep/chacha';
import { bls12_381 } from '@noble/curves/bls12-381.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openPacedCommands } from '../curve/curve-commands.ts';
import type { AffineOf, CurveGroup } from '../curve/point-segments.ts';
import { readBuffer } from '../device/commands.ts';
import type { OpenedDevice } from '../device/device.ts';
import { generatorMultiples, pointOutsideSubgroup, uploadPoints } from '../testing/curve-points.ts';
import { openTestDevice } from '../testing/software-device.ts';
import { openRandomScalars, randomScalarBytes } from './random-scalars.ts';
import { findOutsideSubgroup } from './subgroup-check.ts';

const COUNT = 700;
const run = { phase: 'test' };
let opened: OpenedDevice;
beforeAll(async () => {
  opened = await openTestDevice();
});
afterAll(() => opened.close());

/** Of order 3, so that a sum that takes it three times does not show it. */
const ORDER_THREE: G1Affine = { x: 0n, y: 2n };

describe.each(['g1', 'g2'] as const)('subgroup check of %s', (group: CurveGroup) => {
  const multiples = generatorMultiples(group, COUNT);
  const outside = pointOutsideSubgroup(group);
  const find = (points: readonly AffineOf<CurveGroup>[]) =>
    findOutsideSubgroup(opened.context, uploadPoints(opened.context, group, points, 256), run);

  it('the bad point of these tests is on the curve and outside', () => {
    const inside = group === 'g1' ? isInG1(outside as G1Affine) : isInG2(outside as G2Affine);
    expect(inside).toBe(false);
  });

  it('lets multiples of the generator and infinity pass', async () => {
    expect(await find(multiples)).toBeUndefined();
    expect(await find([null, ...multiples.slice(0, 299), null])).toBeUndefined();
    expect(await find([null])).toBeUndefined();
    expect(await find([])).toBeUndefined();
  });

  it.each([0, 1, 255, 256, 500, COUNT - 1])('finds a single bad point at %i', async (at) => {
    const points = [...multiples];
    points[at] = outside;
    expect(await find(points)).toBe(at);
  });

  it('finds one of two whose sum is in the subgroup', async () => {
    const points = [...multiples];
    points[300] = outside;
    points[301] =
      group === 'g1'
        ? (g1.negate(outside as G1Affine) as AffineOf<CurveGroup>)
        : negateG2(outside as G2Affine);
    expect([300, 301]).toContain(await find(points));
  });
});

it('finds a point that is off by one of order three, and three of them', async () => {
  const multiples = generatorMultiples('g1', COUNT);
  for (const spoilt of [[77], [77, 78, 79]]) {
    const points = [...multiples];
    for (const at of spoilt) points[at] = g1.add(points[at], ORDER_THREE);
    const found = await findOutsideSubgroup(
      opened.context,
      uploadPoints(opened.context, 'g1', points),
      run,
    );
    expect(spoilt).toContain(found);
  }
});

it('random scalars are the key stream of ChaCha8 below 2^254, and go on where they ended', async () => {
  const { context } = opened;
  const key = Uint8Array.from({ length: 32 }, (_, i) => 7 * i + 1);
  const random = await openRandomScalars(context, key);
  const next = chacha8Words(key);
  for (const count of [5, 64, 129]) {
    const bytes = randomScalarBytes(count);
    const buffer = context.buffers.take('scratch', bytes, 'test');
    const commands = openPacedCommands(context, run);
    random.fill(commands, buffer, count);
    await commands.flush();
    const words = new Uint32Array(await readBuffer(context, buffer, 0, bytes));
    const expected = Uint32Array.from(words, (_, i) => next() & (i % 8 === 7 ? 0x3fffffff : -1));
    expect(words).toEqual(expected);
    context.buffers.drop(buffer);
  }
});

function negateG2(point: G2Affine): G2Affine {
  const { Fp } = bls12_381.fields;
  if (point === null) return null;
  return { x: point.x, y: { c0: Fp.neg(point.y.c0), c1: Fp.neg(point.y.c1) } };
}
