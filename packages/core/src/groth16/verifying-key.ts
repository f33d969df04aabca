import {
  decodeG1Uncompressed,
  decodeG2Uncompressed,
  encodeG1Uncompressed,
  encodeG2Uncompressed,
  G1_UNCOMPRESSED_BYTES,
  G2_UNCOMPRESSED_BYTES,
  type PointDecoding,
} from '../curve/point-encoding.ts';
import { CuzkError } from '../errors.ts';
import type { G1Affine, VerifyingKey } from './types.ts';

/** Six points and the count of ic points: what comes before the ic points (spec §4.5). */
export const VERIFYING_KEY_HEAD_BYTES = 868;
const COUNT_OFFSET = VERIFYING_KEY_HEAD_BYTES - 4;
const OFFSETS = { alphaG1: 0, betaG1: 96, betaG2: 192, gammaG2: 384, deltaG1: 576, deltaG2: 672 };

/** Size of a `.vk` file with `inputs` ic points, ONE included. */
export const verifyingKeyBytes = (inputs: number): number =>
  VERIFYING_KEY_HEAD_BYTES + G1_UNCOMPRESSED_BYTES * inputs;

/** A point count as parameter files store it: u32 big-endian (spec §4.5). Throws RangeError outside u32. */
export function encodeCount(count: number): Uint8Array {
  if (!Number.isInteger(count) || count < 0 || count > 0xffffffff) {
    throw new RangeError(`count: expected 0 … 2^32 − 1, got ${count}`);
  }
  const bytes = new Uint8Array(4);
  new DataView(bytes.buffer).setUint32(0, count);
  return bytes;
}

/** Reads the u32 big-endian at `offset`. */
export const decodeCount = (bytes: Uint8Array, offset = 0): number =>
  new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength).getUint32(offset);

/** The number of ic points a `.vk` or `.params` file announces. `head` = its first 868 bytes at least. */
export const announcedInputs = (head: Uint8Array): number => decodeCount(head, COUNT_OFFSET);

/** The bytes of a `.vk` file, also the beginning of the `.params` file (spec §4.5). */
export function encodeVerifyingKey(vk: VerifyingKey): Uint8Array {
  const bytes = new Uint8Array(verifyingKeyBytes(vk.ic.length));
  for (const name of ['alphaG1', 'betaG1', 'deltaG1'] as const) {
    bytes.set(encodeG1Uncompressed(vk[name]), OFFSETS[name]);
  }
  for (const name of ['betaG2', 'gammaG2', 'deltaG2'] as const) {
    bytes.set(encodeG2Uncompressed(vk[name]), OFFSETS[name]);
  }
  bytes.set(encodeCount(vk.ic.length), COUNT_OFFSET);
  vk.ic.forEach((point, i) => {
    bytes.set(encodeG1Uncompressed(point), verifyingKeyBytes(i));
  });
  return bytes;
}

/**
 * Decodes a whole `.vk` file with subgroup checks. An ic point at infinity is rejected; alpha … delta are
 * not, as in the reference (spec §4.5). Throws CuzkError PARAMS_MALFORMED naming the point.
 */
export function decodeVerifyingKey(bytes: Uint8Array): VerifyingKey {
  const head = decodeVerifyingKeyHead(bytes);
  const inputs = announcedInputs(bytes);
  const length = verifyingKeyBytes(inputs);
  if (bytes.length !== length) throw wrongLength(`exactly ${length}`, bytes.length);
  return { ...head, ic: decodeIcPoints(bytes.subarray(VERIFYING_KEY_HEAD_BYTES), 0) };
}

/** The part of decodeVerifyingKey that comes before the ic points, of which there must be one at least. */
export function decodeVerifyingKeyHead(bytes: Uint8Array): Omit<VerifyingKey, 'ic'> {
  if (bytes.length < VERIFYING_KEY_HEAD_BYTES) {
    throw wrongLength(`at least ${VERIFYING_KEY_HEAD_BYTES}`, bytes.length);
  }
  if (announcedInputs(bytes) === 0) {
    throw new CuzkError('PARAMS_MALFORMED', 'verifying key: no ic points', {
      expected: 'one ic point for ONE at least',
      found: '0',
    });
  }
  const at = (offset: number, size: number) => bytes.subarray(offset, offset + size);
  const g1 = (name: 'alphaG1' | 'betaG1' | 'deltaG1') =>
    decodeG1Uncompressed(at(OFFSETS[name], G1_UNCOMPRESSED_BYTES), named(name, true));
  const g2 = (name: 'betaG2' | 'gammaG2' | 'deltaG2') =>
    decodeG2Uncompressed(at(OFFSETS[name], G2_UNCOMPRESSED_BYTES), named(name, true));
  return {
    alphaG1: g1('alphaG1'),
    betaG1: g1('betaG1'),
    betaG2: g2('betaG2'),
    gammaG2: g2('gammaG2'),
    deltaG1: g1('deltaG1'),
    deltaG2: g2('deltaG2'),
  };
}

/** Consecutive ic points, whole ones; the first has number `first`. Errors as decodeVerifyingKey. */
export const decodeIcPoints = (bytes: Uint8Array, first: number): G1Affine[] =>
  Array.from({ length: bytes.length / G1_UNCOMPRESSED_BYTES }, (_, i) =>
    decodeG1Uncompressed(
      bytes.subarray(i * G1_UNCOMPRESSED_BYTES, (i + 1) * G1_UNCOMPRESSED_BYTES),
      named(`ic[${first + i}]`, false),
    ),
  );

const named = (name: string, allowInfinity: boolean): PointDecoding => ({
  code: 'PARAMS_MALFORMED',
  what: `verifying key: ${name}`,
  allowInfinity,
});

const wrongLength = (expected: string, found: number): CuzkError =>
  new CuzkError('PARAMS_MALFORMED', `verifying key: expected ${expected} bytes but got ${found}`, {
    expected: `${expected} bytes`,
    found: `${found} bytes`,
  });
