import {
  fromNobleG1,
  fromNobleG2,
  NobleG1Point,
  NobleG2Point,
} from '@cuzk/core/curve/noble-points';
import { FP_MODULUS } from '@cuzk/core/field/fp';
import { FR_MODULUS } from '@cuzk/core/field/fr';
import { normalizeZ } from '@noble/curves/abstract/curve.js';
import { bls12_381 } from '@noble/curves/bls12-381.js';
import { multipleOfGenerator } from '../curve/generator-multiple.ts';
import {
  type AffineOf,
  allocatePoints,
  type CurveGroup,
  type PointSegments,
  type ScalarSegments,
  writePoints,
} from '../curve/point-segments.ts';
import type { GpuContext } from '../device/context.ts';
import { uploadWords } from '../device/upload-words.ts';
import { writeWords } from '../field/field-variants.ts';
import { seededWords } from '../field/seeded-words.ts';

/** 1·G, 2·G, …, count·G. */
export function generatorMultiples<G extends CurveGroup>(group: G, count: number): AffineOf<G>[] {
  const points: AffineOf<G>[] = [];
  if (group === 'g1') {
    let sum = NobleG1Point.ZERO;
    const all = Array.from({ length: count }, () => {
      sum = sum.add(NobleG1Point.BASE);
      return sum;
    });
    for (const point of normalizeZ(NobleG1Point, all))
      points.push(fromNobleG1(point) as AffineOf<G>);
    return points;
  }
  let sum = NobleG2Point.ZERO;
  const all = Array.from({ length: count }, () => {
    sum = sum.add(NobleG2Point.BASE);
    return sum;
  });
  for (const point of normalizeZ(NobleG2Point, all)) points.push(fromNobleG2(point) as AffineOf<G>);
  return points;
}

/** As multipleOfGenerator, by table where |k| ≤ most. */
export function tableOfMultiples<G extends CurveGroup>(
  group: G,
  most: number,
): (k: bigint) => AffineOf<G> {
  const table = generatorMultiples(group, most);
  const negate = (value: bigint): bigint => (FP_MODULUS - value) % FP_MODULUS;
  return (k) => {
    const size = Number(k < 0n ? -k : k);
    if (size === 0) return null as AffineOf<G>;
    if (size > most) return multipleOfGenerator(group, k);
    const point = table[size - 1];
    if (k > 0n || point === null) return point;
    const { x, y } = point;
    const minus = typeof y === 'bigint' ? negate(y) : { c0: negate(y.c0), c1: negate(y.c1) };
    return { x, y: minus } as AffineOf<G>;
  };
}

/** The point of the curve with the smallest x ≥ 1; it is not in the subgroup of order r, as hardly any is. */
export function pointOutsideSubgroup<G extends CurveGroup>(group: G): AffineOf<G> {
  const { Fp, Fp2 } = bls12_381.fields;
  for (let x = 1n; ; x++) {
    try {
      if (group === 'g1') {
        const y = Fp.sqrt(Fp.add(Fp.pow(x, 3n), 4n));
        return { x, y } as AffineOf<G>;
      }
      const at = { c0: x, c1: 0n };
      const { c0, c1 } = Fp2.sqrt(Fp2.add(Fp2.pow(at, 3n), { c0: 4n, c1: 4n }));
      return { x: at, y: { c0, c1 } } as AffineOf<G>;
    } catch {
      // not a square: no point has this x
    }
  }
}

/** Points on the device, from the host. */
export function uploadPoints<G extends CurveGroup>(
  context: GpuContext,
  group: G,
  points: readonly AffineOf<G>[],
  segmentPoints?: number,
): PointSegments<G> {
  const target = allocatePoints(
    context,
    group,
    points.length,
    'test points',
    segmentPoints === undefined ? {} : { segmentPoints },
  );
  writePoints(context, target, 0, points);
  return target;
}

/** A storage buffer with these words. */
export const uploadTestWords = (context: GpuContext, words: Uint32Array): GPUBuffer =>
  uploadWords(context, 'scratch', words, 'test words');

/** Deterministic scalars, uniform enough, below r. */
export function scalarStream(seed: number): () => bigint {
  const words = seededWords(seed);
  return () => {
    let value = 0n;
    for (let i = 0; i < 9; i++) value = (value << 32n) | BigInt(words());
    return value % FR_MODULUS;
  };
}

/** Canonical scalars on the device. */
export function uploadScalars(
  context: GpuContext,
  scalars: readonly bigint[],
  segmentScalars = 2 ** 20,
): ScalarSegments {
  const segments: GPUBuffer[] = [];
  for (let first = 0; first < scalars.length; first += segmentScalars) {
    const part = scalars.slice(first, first + segmentScalars);
    const words = new Uint32Array(part.length * 8);
    part.forEach((scalar, i) => {
      writeWords(words, i * 8, 8, scalar);
    });
    segments.push(uploadTestWords(context, words));
  }
  return { count: scalars.length, segmentScalars, segments };
}
