import { encodeG1Uncompressed, encodeG2Uncompressed } from '@cuzk/core/curve/point-encoding';
import type { G1Affine, G2Affine } from '@cuzk/core/curve/points';
import { bitmapOf, ranksOf, setBit } from '@cuzk/core/r1cs/bitmap';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { OpenedDevice } from '../device/device.ts';
import { generatorMultiples, uploadPoints } from '../testing/curve-points.ts';
import { openTestDevice } from '../testing/software-device.ts';
import { encodePointsOnDevice } from './point-convert-encode.ts';
import { gatherPoints, NO_POINT } from './point-convert-gather.ts';
import { openPointLoader, type ReadPoints } from './point-convert-load.ts';
import type { PointPlacement } from './point-convert-place.ts';
import { type AffineOf, type CurveGroup, POINT_BYTES, readPoints } from './point-segments.ts';

const COUNT = 700;
const run = { phase: 'test' };
let opened: OpenedDevice;
beforeAll(async () => {
  opened = await openTestDevice();
});
afterAll(() => opened.close());

describe.each(['g1', 'g2'] as const)('conversion of points of %s', (group: CurveGroup) => {
  const bytes = POINT_BYTES[group];
  const multiples: AffineOf<CurveGroup>[] = [...generatorMultiples(group, COUNT - 1), null];
  const encode = (point: AffineOf<CurveGroup>): Uint8Array =>
    group === 'g1'
      ? encodeG1Uncompressed(point as G1Affine)
      : encodeG2Uncompressed(point as G2Affine);
  const encodeAll = (points: readonly AffineOf<CurveGroup>[]): Uint8Array => {
    const all = new Uint8Array(points.length * bytes);
    points.forEach((point, i) => {
      all.set(encode(point), i * bytes);
    });
    return all;
  };
  const reading =
    (file: Uint8Array): ReadPoints =>
    async (target, first) =>
      target.set(file.subarray(first * bytes, first * bytes + target.length));
  const load = async (file: Uint8Array, placement: PointPlacement, pushes = [file.length]) => {
    const count = file.length / bytes;
    const loader = await openPointLoader(opened.context, group, count, placement, run);
    let at = 0;
    for (const length of [...pushes, file.length]) {
      const part = Math.min(length, file.length - at);
      await loader.take(part / bytes, reading(file));
      at += part;
    }
    const report = await loader.finish();
    await loader.close();
    return report;
  };
  const read = (report: Awaited<ReturnType<typeof load>>) =>
    readPoints(opened.context, report.points, 0, report.points.count);

  it('loads in order, in pieces, and counts infinities', async () => {
    const report = await load(encodeAll(multiples), { kind: 'in order' }, [3 * bytes, 250 * bytes]);
    expect(report).toMatchObject({ badPoints: 0, firstBadPoint: undefined, infinities: 1 });
    expect(await read(report)).toEqual(multiples);
  });

  it('loads bit-reversed, with infinity for the missing points', async () => {
    const logN = 10;
    const report = await load(encodeAll(multiples), { kind: 'bit reversed', logN }, [100 * bytes]);
    const expected = new Array(2 ** logN).fill(null);
    multiples.forEach((point, i) => {
      const reversed = Number.parseInt(
        [...i.toString(2).padStart(logN, '0')].reverse().join(''),
        2,
      );
      expected[reversed] = point;
    });
    expect(await read(report)).toEqual(expected);
  });

  it('expands compacted points, and drops those before the first', async () => {
    const bits = 2000;
    const density = bitmapOf(bits);
    const expected = new Array(bits).fill(null);
    for (let i = 0, point = 4; point < COUNT; i++) {
      if (i % 31 < 18 || i % 7 === 3) continue;
      setBit(density, i);
      expected[i] = multiples[point++];
    }
    const placement = {
      kind: 'expanded' as const,
      bits,
      firstPoint: 4,
      density,
      ranks: ranksOf(density),
    };
    const report = await load(encodeAll(multiples), placement, [2 * bytes, 33 * bytes]);
    expect(await read(report)).toEqual(expected);
  });

  it('reports what is no point of the curve, and where it is first', async () => {
    const file = encodeAll(multiples.slice(0, 40));
    const spoil = (point: number, byte: number, flip: number): void => {
      file[point * bytes + byte] ^= flip;
    };
    spoil(7, bytes - 1, 1); // y off by one
    spoil(9, 0, 0x80); // compression flag
    spoil(11, 0, 0x20); // sign flag
    spoil(13, 0, 0x40); // infinity flag on a finite point
    spoil(15, 30, 4); // x
    // a coordinate ≥ p that is congruent to the right one
    const p =
      0x1a0111ea397fe69a4b1ba7b6434bacd764774b84f38512bf6730d2a0f6b0f6241eabfffeb153ffffb9feffffffffaaabn;
    const at = 17 * bytes + bytes - 48;
    const y = BigInt(`0x${Buffer.from(file.subarray(at, at + 48)).toString('hex')}`);
    file.set(Buffer.from((y + p).toString(16).padStart(96, '0'), 'hex'), at);
    const report = await load(file, { kind: 'in order' });
    expect(report).toMatchObject({ badPoints: 6, firstBadPoint: 7, infinities: 0 });
    const expected = multiples.slice(0, 40);
    for (const bad of [7, 9, 11, 13, 15, 17]) expected[bad] = null;
    expect(await read(report)).toEqual(expected);
  });

  it('refuses more points than announced, and too few', async () => {
    const loader = await openPointLoader(opened.context, group, 2, { kind: 'in order' }, run);
    const file = encodeAll(multiples.slice(0, 3));
    await expect(loader.take(3, reading(file))).rejects.toThrow('2 points');
    await loader.take(1, reading(file));
    await expect(loader.finish()).rejects.toThrow('expected 2 points, got 1');
    await loader.close();
  });

  it('throws what a read throws, and only after all reads have ended', async () => {
    const loader = await openPointLoader(opened.context, group, 2, { kind: 'in order' }, run);
    let reads = 0;
    await loader.take(1, async () => {
      reads++;
      throw new Error('disk');
    });
    let slow = false;
    await loader
      .take(1, async () => {
        await new Promise((resolve) => setTimeout(resolve, 50));
        slow = true;
      })
      .catch(() => {
        slow = true;
      });
    await expect(loader.finish()).rejects.toThrow('disk');
    await loader.close();
    expect({ reads, slow }).toEqual({ reads: 1, slow: true });
  });

  it('gathers by index', async () => {
    const { context } = opened;
    const source = uploadPoints(context, group, multiples, 256);
    const indices = Uint32Array.from({ length: 300 }, (_, i) =>
      i % 10 === 3 ? NO_POINT : (i * 311) % COUNT,
    );
    const gathered = await gatherPoints(context, source, indices, run);
    expect(await readPoints(context, gathered, 0, 300)).toEqual(
      [...indices].map((index) => (index === NO_POINT ? null : multiples[index])),
    );
    await expect(gatherPoints(context, source, Uint32Array.of(COUNT), run)).rejects.toThrow(
      `below ${COUNT}`,
    );
  });

  it('encodes as the host does', async () => {
    const { context } = opened;
    const source = uploadPoints(context, group, multiples, 256);
    const parts: Uint8Array[] = [];
    for await (const part of encodePointsOnDevice(context, source, 10, COUNT - 10, run))
      parts.push(part);
    expect(Buffer.concat(parts).equals(encodeAll(multiples.slice(10)))).toBe(true);
  });
});
