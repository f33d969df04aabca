import { CuzkError, type ErrorCode } from '../errors.ts';
import type { AffineGroup } from './affine-group.ts';
import { type CoordinateCodec, FP_CODEC, FP2_CODEC } from './coordinate-codec.ts';
import type { Fp2 } from './fp2.ts';
import { g1 } from './g1.ts';
import { g2 } from './g2.ts';
import { isInG1, isInG2 } from './noble-points.ts';
import type { AffinePoint, G1Affine, G2Affine } from './points.ts';

/** The ZCash point encodings (spec §3.3): big-endian coordinates, three flag bits in the first byte. */
export const G1_COMPRESSED_BYTES = 48;
export const G1_UNCOMPRESSED_BYTES = 96;
export const G2_COMPRESSED_BYTES = 96;
export const G2_UNCOMPRESSED_BYTES = 192;

const COMPRESSED = 0x80;
const INFINITY = 0x40;
const LARGER_Y = 0x20;
const FLAGS = 0xe0;

export interface PointDecoding {
  /** Code of the CuzkError a bad encoding raises: PROOF_MALFORMED or PARAMS_MALFORMED, as the bytes' origin. */
  readonly code: ErrorCode;
  /** Names the point in messages, as in "proof 3, B". */
  readonly what: string;
  /** Test membership in the subgroup of order r. Default true; only long parameter vectors go without. */
  readonly checkSubgroup?: boolean;
  /** Accept the encoding of the point at infinity (decoded as null). Default false. */
  readonly allowInfinity?: boolean;
}

interface PointCodec<T> {
  readonly coordinate: CoordinateCodec<T>;
  readonly group: AffineGroup<T>;
  isInSubgroup(p: AffinePoint<T>): boolean;
}

const G1_CODEC: PointCodec<bigint> = { coordinate: FP_CODEC, group: g1, isInSubgroup: isInG1 };
const G2_CODEC: PointCodec<Fp2> = { coordinate: FP2_CODEC, group: g2, isInSubgroup: isInG2 };

/** The reference calls every unusable encoding "not on curve"; the reason is ours. */
function notOnCurve(options: PointDecoding, reason: string): CuzkError {
  return new CuzkError(options.code, `${options.what}: not on curve (${reason})`, {
    expected: 'the encoding of a point of the subgroup of order r',
    found: reason,
  });
}

function assertLength(bytes: Uint8Array, length: number, options: PointDecoding): void {
  if (bytes.length === length) return;
  throw new CuzkError(
    options.code,
    `${options.what}: expected exactly ${length} bytes but got ${bytes.length}`,
    { expected: `${length} bytes`, found: `${bytes.length} bytes` },
  );
}

/** The encoding of infinity: its flags and nothing else. */
function decodeInfinity(bytes: Uint8Array, flags: number, options: PointDecoding): null {
  if (bytes[0] !== flags || bytes.some((byte, i) => i > 0 && byte !== 0)) {
    throw notOnCurve(options, 'bits set beside the flag of infinity');
  }
  if (options.allowInfinity === true) return null;
  throw new CuzkError(options.code, `${options.what}: point at infinity`, {
    expected: 'a finite point',
    found: 'the point at infinity',
  });
}

function decodeCoordinate<T>(
  codec: PointCodec<T>,
  bytes: Uint8Array,
  axis: string,
  options: PointDecoding,
): T {
  const value = codec.coordinate.decode(bytes);
  if (value === undefined) throw notOnCurve(options, `${axis} coordinate ≥ q`);
  return value;
}

function checkedSubgroup<T>(
  codec: PointCodec<T>,
  point: AffinePoint<T>,
  options: PointDecoding,
): AffinePoint<T> {
  if (options.checkSubgroup !== false && !codec.isInSubgroup(point)) {
    throw notOnCurve(options, 'outside the subgroup of order r');
  }
  return point;
}

function decodeCompressed<T>(codec: PointCodec<T>, bytes: Uint8Array, options: PointDecoding) {
  const { coordinate, group } = codec;
  assertLength(bytes, coordinate.bytes, options);
  const first = bytes[0];
  if ((first & COMPRESSED) === 0) throw notOnCurve(options, 'the compression flag is missing');
  if ((first & INFINITY) !== 0) return decodeInfinity(bytes, COMPRESSED | INFINITY, options);
  const plain = Uint8Array.from(bytes);
  plain[0] = first & ~FLAGS;
  const x = decodeCoordinate(codec, plain, 'x', options);
  const root = coordinate.sqrt(group.rightSide(x));
  if (root === undefined) throw notOnCurve(options, 'no point has this x coordinate');
  const point = { x, y: root };
  const wantsLarger = (first & LARGER_Y) !== 0;
  return checkedSubgroup(
    codec,
    coordinate.isLarger(root) === wantsLarger ? point : group.negate(point),
    options,
  );
}

function decodeUncompressed<T>(codec: PointCodec<T>, bytes: Uint8Array, options: PointDecoding) {
  const { coordinate, group } = codec;
  assertLength(bytes, 2 * coordinate.bytes, options);
  const flags = bytes[0] & FLAGS;
  if (flags === INFINITY) return decodeInfinity(bytes, INFINITY, options);
  if (flags !== 0) throw notOnCurve(options, 'flag bits set in an uncompressed point');
  const point = {
    x: decodeCoordinate(codec, bytes.subarray(0, coordinate.bytes), 'x', options),
    y: decodeCoordinate(codec, bytes.subarray(coordinate.bytes), 'y', options),
  };
  if (!group.isOnCurve(point)) throw notOnCurve(options, 'the curve equation does not hold');
  return checkedSubgroup(codec, point, options);
}

function encodeCompressed<T>({ coordinate }: PointCodec<T>, point: AffinePoint<T>): Uint8Array {
  if (point === null) return infinityBytes(coordinate.bytes, COMPRESSED | INFINITY);
  const bytes = coordinate.encode(point.x);
  bytes[0] |= COMPRESSED | (coordinate.isLarger(point.y) ? LARGER_Y : 0);
  return bytes;
}

function encodeUncompressed<T>({ coordinate }: PointCodec<T>, point: AffinePoint<T>): Uint8Array {
  if (point === null) return infinityBytes(2 * coordinate.bytes, INFINITY);
  const bytes = new Uint8Array(2 * coordinate.bytes);
  bytes.set(coordinate.encode(point.x));
  bytes.set(coordinate.encode(point.y), coordinate.bytes);
  return bytes;
}

function infinityBytes(length: number, flags: number): Uint8Array {
  const bytes = new Uint8Array(length);
  bytes[0] = flags;
  return bytes;
}

/** Decodes 48 bytes. Throws CuzkError with `options.code` on anything spec §3.3 rejects. */
export const decodeG1Compressed = (bytes: Uint8Array, options: PointDecoding): G1Affine =>
  decodeCompressed(G1_CODEC, bytes, options);
/** Decodes 96 bytes. Throws CuzkError with `options.code` on anything spec §3.3 rejects. */
export const decodeG1Uncompressed = (bytes: Uint8Array, options: PointDecoding): G1Affine =>
  decodeUncompressed(G1_CODEC, bytes, options);
/** Decodes 96 bytes. Throws CuzkError with `options.code` on anything spec §3.3 rejects. */
export const decodeG2Compressed = (bytes: Uint8Array, options: PointDecoding): G2Affine =>
  decodeCompressed(G2_CODEC, bytes, options);
/** Decodes 192 bytes. Throws CuzkError with `options.code` on anything spec §3.3 rejects. */
export const decodeG2Uncompressed = (bytes: Uint8Array, options: PointDecoding): G2Affine =>
  decodeUncompressed(G2_CODEC, bytes, options);

/** 48 bytes. Does not check that the point is on the curve; throws RangeError on a coordinate over 48 bytes. */
export const encodeG1Compressed = (point: G1Affine): Uint8Array =>
  encodeCompressed(G1_CODEC, point);
/** 96 bytes; otherwise as encodeG1Compressed. */
export const encodeG1Uncompressed = (point: G1Affine): Uint8Array =>
  encodeUncompressed(G1_CODEC, point);
/** 96 bytes; otherwise as encodeG1Compressed. */
export const encodeG2Compressed = (point: G2Affine): Uint8Array =>
  encodeCompressed(G2_CODEC, point);
/** 192 bytes; otherwise as encodeG1Compressed. */
export const encodeG2Uncompressed = (point: G2Affine): Uint8Array =>
  encodeUncompressed(G2_CODEC, point);
