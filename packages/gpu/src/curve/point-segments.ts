import type { Fp2 } from '@cuzk/core/curve/fp2';
import type { G1Affine, G2Affine } from '@cuzk/core/curve/points';
import { invertMod } from '@cuzk/core/field/modular';
import type { BufferClass } from '../device/buffer-pool.ts';
import { readBuffer } from '../device/commands.ts';
import type { DeviceTraits, FieldVariants, GpuContext } from '../device/context.ts';
import { FP_VARIANTS, readElement, toMontgomery, writeWords } from '../field/field-variants.ts';

export type CurveGroup = 'g1' | 'g2';
/** The host's point of a group. */
export type AffineOf<G extends CurveGroup> = G extends 'g1' ? G1Affine : G2Affine;

/** Bytes of a point on the device: x then y (G2: c0 before c1), Montgomery form, stored words. */
export const POINT_BYTES: Readonly<Record<CurveGroup, number>> = { g1: 96, g2: 192 };
const COORDINATE_WORDS = 12;
/** Keeps 27-bit references and the arena of one segment's sums within reach. */
const MAX_SEGMENT_BYTES = 2 ** 24 * POINT_BYTES.g1;

/**
 * An array of points cut into buffers that can be bound whole. All segments but the last hold `segmentPoints`
 * (a power of two); infinity is all zero.
 */
export interface PointSegments<G extends CurveGroup = CurveGroup> {
  readonly group: G;
  readonly count: number;
  readonly segmentPoints: number;
  readonly segments: readonly GPUBuffer[];
}

/** Canonical little-endian scalars below r, 32 bytes each, in segments of any length. */
export interface ScalarSegments {
  readonly count: number;
  /** Elements of the first segments that come before the first scalar; by default none. */
  readonly skipped?: number;
  readonly segmentScalars: number;
  readonly segments: readonly GPUBuffer[];
}

/** Points per segment: the largest power of two whose bytes can be bound at once. */
export function segmentPointsFor(traits: DeviceTraits, group: CurveGroup): number {
  const bytes = Math.min(traits.maxBindingBytes, traits.maxBufferBytes, MAX_SEGMENT_BYTES);
  return 2 ** Math.floor(Math.log2(bytes / POINT_BYTES[group]));
}

/** Points in segment `index`. */
export const pointsInSegment = (points: PointSegments, index: number): number =>
  Math.min(points.segmentPoints, points.count - index * points.segmentPoints);

/** Zeroes nothing: a recycled buffer keeps its contents, so the caller writes or clears every point. */
export function allocatePoints<G extends CurveGroup>(
  context: GpuContext,
  group: G,
  count: number,
  label: string,
  options: { kind?: BufferClass; segmentPoints?: number } = {},
): PointSegments<G> {
  const segmentPoints = options.segmentPoints ?? segmentPointsFor(context.traits, group);
  const segments: GPUBuffer[] = [];
  for (let first = 0; first < count; first += segmentPoints) {
    const points = Math.min(segmentPoints, count - first);
    segments.push(
      context.buffers.take(options.kind ?? 'srs', points * POINT_BYTES[group], `${label} ${first}`),
    );
  }
  return { group, count, segmentPoints, segments };
}

/** Returns the buffers to the pool. */
export function releaseSegments(
  context: GpuContext,
  points: { readonly segments: readonly GPUBuffer[] },
): void {
  for (const segment of points.segments) context.buffers.give(segment);
}

/** Calls `visit` for every piece of [first, first + count) that lies in one segment. */
export function forEachPiece(
  first: number,
  count: number,
  segmentLength: number,
  visit: (segment: number, start: number, length: number, offset: number) => void,
): void {
  let offset = 0;
  while (offset < count) {
    const segment = Math.floor((first + offset) / segmentLength);
    const start = first + offset - segment * segmentLength;
    const length = Math.min(segmentLength - start, count - offset);
    visit(segment, start, length, offset);
    offset += length;
  }
}

/** Stored words of points, Montgomery form of the active variant; null becomes zeros. */
function encodePoints<G extends CurveGroup>(
  variants: FieldVariants,
  group: G,
  points: readonly AffineOf<G>[],
): Uint32Array<ArrayBuffer> {
  const field = FP_VARIANTS[variants.fp];
  const rowWords = POINT_BYTES[group] / 4;
  const words = new Uint32Array(points.length * rowWords);
  points.forEach((point, i) => {
    coordinatesOf(point).forEach((value, j) => {
      writeWords(
        words,
        i * rowWords + j * COORDINATE_WORDS,
        COORDINATE_WORDS,
        toMontgomery(field, value),
      );
    });
  });
  return words;
}

/** Inverse of encodePoints. */
export function decodePoints<G extends CurveGroup>(
  variants: FieldVariants,
  group: G,
  words: Uint32Array,
): AffineOf<G>[] {
  const field = FP_VARIANTS[variants.fp];
  const factor = invertMod(field.montgomeryR, field.modulus);
  const rowWords = POINT_BYTES[group] / 4;
  const points: AffineOf<G>[] = [];
  for (let o = 0; o < words.length; o += rowWords) {
    if (words.subarray(o, o + rowWords).every((word) => word === 0)) {
      points.push(null as AffineOf<G>);
      continue;
    }
    const values: bigint[] = [];
    for (let j = 0; j < rowWords; j += COORDINATE_WORDS)
      values.push((readElement(field, words, o + j) * factor) % field.modulus);
    points.push(pointOfCoordinates(group, values) as AffineOf<G>);
  }
  return points;
}

/** Writes points from the host: fixtures, generators, a handful of sums. */
export function writePoints<G extends CurveGroup>(
  context: GpuContext,
  target: PointSegments<G>,
  first: number,
  points: readonly AffineOf<G>[],
): void {
  const words = encodePoints(context.variants, target.group, points);
  const rowWords = POINT_BYTES[target.group] / 4;
  forEachPiece(first, points.length, target.segmentPoints, (segment, start, length, offset) => {
    context.device.queue.writeBuffer(
      target.segments[segment],
      start * rowWords * 4,
      words,
      offset * rowWords,
      length * rowWords,
    );
  });
}

/** Reads points back to the host. */
export async function readPoints<G extends CurveGroup>(
  context: GpuContext,
  source: PointSegments<G>,
  first: number,
  count: number,
): Promise<AffineOf<G>[]> {
  const words = await readPointWords(context, source, first, count);
  return decodePoints(context.variants, source.group, words);
}

/** Reads points back as they are stored when this is called: the copy is submitted before it returns. */
export async function readPointWords(
  context: GpuContext,
  source: PointSegments,
  first: number,
  count: number,
): Promise<Uint32Array> {
  const pieces: Promise<ArrayBuffer>[] = [];
  const rowBytes = POINT_BYTES[source.group];
  forEachPiece(first, count, source.segmentPoints, (segment, start, length) => {
    pieces.push(readBuffer(context, source.segments[segment], start * rowBytes, length * rowBytes));
  });
  const words = new Uint32Array((count * rowBytes) / 4);
  let at = 0;
  for (const piece of await Promise.all(pieces)) {
    const part = new Uint32Array(piece);
    words.set(part, at);
    at += part.length;
  }
  return words;
}

function coordinatesOf(point: G1Affine | G2Affine): bigint[] {
  if (point === null) return [];
  const { x, y } = point;
  if (typeof x === 'bigint') return [x, y as bigint];
  const { c0, c1 } = y as Fp2;
  return [x.c0, x.c1, c0, c1];
}

function pointOfCoordinates(group: CurveGroup, values: readonly bigint[]): G1Affine | G2Affine {
  if (group === 'g1') return { x: values[0], y: values[1] };
  return { x: { c0: values[0], c1: values[1] }, y: { c0: values[2], c1: values[3] } };
}
