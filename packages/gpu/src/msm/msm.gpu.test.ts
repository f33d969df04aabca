import { FR_MODULUS } from '@cuzk/core/field/fr';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { multipleOfGenerator } from '../curve/generator-multiple.ts';
import type { AffineOf, CurveGroup } from '../curve/point-segments.ts';
import type { OpenedDevice } from '../device/device.ts';
import {
  generatorMultiples,
  scalarStream,
  uploadPoints,
  uploadScalars,
} from '../testing/curve-points.ts';
import { openTestDevice } from '../testing/software-device.ts';
import { msm, msmShared } from './msm.ts';
import { planMsm } from './msm-plan.ts';

const R = FR_MODULUS;
const MOST = 1025;
const run = { phase: 'test' };
let opened: OpenedDevice;
beforeAll(async () => {
  opened = await openTestDevice();
});
afterAll(() => opened.close());

/** Scalars that meet every edge of folding and of the windows. */
const edge = (i: number): bigint =>
  [
    0n,
    1n,
    R - 1n,
    2n,
    R - 2n,
    1n << 254n,
    (R - 1n) / 2n,
    (R + 1n) / 2n,
    1n << BigInt(i % 255),
    (R - (1n << BigInt(i % 254))) % R,
    (1n << BigInt(i % 255)) - 1n,
  ][i % 11] % R;

describe('MSM with WebGPU default limits and 13-bit limbs', () => {
  it('gives the same sum, the larger first', async () => {
    const device = await openTestDevice({
      variants: { fp: 'signed13', fr: 'karatsuba13' },
      defaultLimits: true,
    });
    const multiples = generatorMultiples('g1', 400);
    const next = scalarStream(9);
    for (const count of [400, 399, 7]) {
      const scalars = Array.from({ length: count }, (_, i) => (i % 3 === 0 ? edge(i) : next()));
      const bases = uploadPoints(device.context, 'g1', multiples.slice(0, count));
      const sum = await msm(device.context, bases, uploadScalars(device.context, scalars), run);
      const expected = scalars.reduce((total, s, i) => total + s * BigInt(i + 1), 0n);
      expect(sum).toEqual(multipleOfGenerator('g1', expected));
    }
    device.close();
  });
});

describe.each(['g1', 'g2'] as const)('MSM over %s', (group: CurveGroup) => {
  const multiples = generatorMultiples(group, MOST);

  const shapes: Record<string, (i: number) => bigint> = {
    edge,
    random: (() => {
      const next = scalarStream(5);
      const list = Array.from({ length: MOST }, next);
      return (i: number) => list[i];
    })(),
    'zero or one': (i) => BigInt(i & 1),
    'all equal': () => 0x1234567890abcdef1234567890abcdefn,
    'all zero': () => 0n,
    sparse: (i) => (i % 97 === 3 ? R - BigInt(i) : 0n),
  };

  it.each(
    Object.keys(shapes).flatMap((name) =>
      [1, 2, 63, 64, 65, 1025].map((count) => ({ name, count })),
    ),
  )('$name scalars, $count points', async ({ name, count }) => {
    const { context } = opened;
    const scalars = Array.from({ length: count }, (_, i) => shapes[name](i));
    const bases = uploadPoints(context, group, multiples.slice(0, count));
    const sum = await msm(context, bases, uploadScalars(context, scalars), run);
    const expected = scalars.reduce((total, s, i) => total + s * BigInt(i + 1), 0n);
    expect(sum).toEqual(multipleOfGenerator(group, expected));
  });

  it('adds nothing for no points', async () => {
    const { context } = opened;
    const bases = uploadPoints(context, group, []);
    expect(await msm(context, bases, uploadScalars(context, []), run)).toBeNull();
  });

  it('takes bases at infinity, equal and opposite bases', async () => {
    const { context } = opened;
    const count = 200;
    const value = (i: number): bigint => [0n, 7n, 7n, -7n, BigInt(i + 1)][i % 5];
    const points: AffineOf<CurveGroup>[] = Array.from({ length: count }, (_, i) =>
      multipleOfGenerator(group, value(i)),
    );
    // equal scalars bring equal and opposite bases into the same bucket
    const scalars = Array.from({ length: count }, (_, i) => edge(Math.floor(i / 20)));
    const sum = await msm(
      context,
      uploadPoints(context, group, points),
      uploadScalars(context, scalars),
      run,
    );
    const expected = scalars.reduce((total, s, i) => total + s * value(i), 0n);
    expect(sum).toEqual(multipleOfGenerator(group, expected));
  });

  it.each([
    { segmentPoints: 256, segmentScalars: 1024, windows: 20, scatterEntries: 1000 },
    { segmentPoints: 256, segmentScalars: 64, windows: 37, scatterEntries: 70 },
    { segmentPoints: 512, segmentScalars: 512, windows: 51, scatterEntries: 512 },
  ])('several segments: %o', async ({ segmentPoints, segmentScalars, windows, scatterEntries }) => {
    const { context } = opened;
    const scalars = Array.from({ length: MOST }, (_, i) => (i < 600 ? edge(i) : shapes.random(i)));
    const bases = uploadPoints(context, group, multiples, segmentPoints);
    const plan = planMsm(
      MOST,
      context.traits,
      group,
      { windows, maxEntries: 5 * segmentPoints, scatterEntries },
      segmentPoints,
    );
    expect(
      plan.folds.flatMap(({ parts }) => parts.flatMap(({ runs }) => runs)).length,
    ).toBeGreaterThan(1);
    const before = Array.from({ length: 70 }, (_, i) => edge(i));
    const uploaded = {
      ...uploadScalars(context, [...before, ...scalars], segmentScalars),
      count: MOST,
      skipped: before.length,
    };
    const sum = await msm(context, bases, uploaded, { ...run, plan });
    const expected = scalars.reduce((total, s, i) => total + s * BigInt(i + 1), 0n);
    expect(sum).toEqual(multipleOfGenerator(group, expected));
  });

  it.each([
    { segmentPoints: 2048, sparse: false, arrivals: [216, 544, MOST] },
    { segmentPoints: 2048, sparse: true, arrivals: [216, 544, MOST] },
    { segmentPoints: 512, sparse: false, arrivals: [112, 272, 512, 1024, MOST] },
  ])('begins before all scalars are there: %o', async ({ segmentPoints, sparse, arrivals }) => {
    const { context } = opened;
    const scalars = Array.from({ length: MOST }, (_, i) => (i < 600 ? edge(i) : shapes.random(i)));
    const isLeftOut = (i: number): boolean => sparse && i % 4 === 1;
    const points = multiples.map((point, i) => (isLeftOut(i) ? null : point));
    const bases = uploadPoints(context, group, points as AffineOf<CurveGroup>[], segmentPoints);
    const options = { windows: 20, maxEntries: 10 * segmentPoints, arriving: true };
    const plan = planMsm(MOST, context.traits, group, options, segmentPoints);
    const there = uploadScalars(context, scalars);
    const coming = uploadScalars(context, Array<bigint>(MOST).fill(0n));
    const asked: number[] = [];
    let copied = 0;
    const arrived = async (end: number): Promise<void> => {
      if (end > copied) {
        const bytes = [32 * copied, 32 * (end - copied)] as const;
        const encoder = context.device.createCommandEncoder();
        encoder.copyBufferToBuffer(
          ...[there.segments[0], bytes[0], coming.segments[0], bytes[0], bytes[1]],
        );
        context.device.queue.submit([encoder.finish()]);
        copied = end;
        asked.push(end);
      }
    };
    const sum = await msm(context, bases, coming, { ...run, plan, arrived, sparse });
    expect(asked).toEqual(arrivals);
    const expected = scalars.reduce((s, k, i) => s + (isLeftOut(i) ? 0n : k * BigInt(i + 1)), 0n);
    expect(sum).toEqual(multipleOfGenerator(group, expected));
  });

  it.each([64, 1024])('leaves out bases at infinity, segments of %i', async (segmentPoints) => {
    const { context } = opened;
    const count = 150;
    const scalars = Array.from({ length: count }, (_, i) =>
      i % 2 === 0 ? edge(i) : shapes.random(i),
    );
    const points = multiples.slice(0, count).map((point, i) => (i % 4 === 1 ? point : null));
    const bases = uploadPoints(context, group, points as AffineOf<CurveGroup>[], segmentPoints);
    const options = { ...run, sparse: true };
    const sum = await msm(context, bases, uploadScalars(context, scalars, 100), options);
    const expected = scalars.reduce(
      (total, s, i) => total + (i % 4 === 1 ? s * BigInt(i + 1) : 0n),
      0n,
    );
    expect(sum).toEqual(multipleOfGenerator(group, expected));
    await expect(
      msmShared(context, [bases, bases], uploadScalars(context, scalars), options),
    ).rejects.toThrow('expected one array');
  });

  it('serves several base arrays with one sort', async () => {
    const { context } = opened;
    const count = 300;
    const scalars = Array.from({ length: count }, (_, i) => shapes.random(i));
    const arrays = [multiples.slice(0, count), multiples.slice(0, count).reverse()];
    const sums = await msmShared(
      context,
      arrays.map((points) => uploadPoints(context, group, points, 128)),
      uploadScalars(context, scalars),
      run,
    );
    const expected = [
      scalars.reduce((total, s, i) => total + s * BigInt(i + 1), 0n),
      scalars.reduce((total, s, i) => total + s * BigInt(count - i), 0n),
    ];
    expect(sums).toEqual(expected.map((k) => multipleOfGenerator(group, k)));
  });

  it('stops between submits once cancelled', async () => {
    const { context } = opened;
    const bases = uploadPoints(context, group, multiples);
    const scalars = uploadScalars(
      context,
      Array.from({ length: MOST }, (_, i) => edge(i)),
    );
    const before = context.buffers.bytesInUse.scratch;
    const abort = new AbortController();
    const sum = msm(context, bases, scalars, { ...run, signal: abort.signal });
    abort.abort();
    await expect(sum).rejects.toMatchObject({ code: 'CANCELLED' });
    expect(context.buffers.bytesInUse.scratch).toBe(before);
  });
});
