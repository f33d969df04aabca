/**
 * Many scalars without an object each: four little-endian 64-bit words a scalar, so that the bytes of the
 * array are the 32-byte canonical LE encodings one after the other (on little-endian hosts, which is all that
 * JavaScript runs on) and go to a device or a digest as they are.
 */
export type PackedScalars = BigUint64Array<ArrayBuffer>;

const WORDS = 4;
const MASK = (1n << 64n) - 1n;

export const allocateScalars = (count: number): PackedScalars => new BigUint64Array(WORDS * count);
export const scalarCount = (scalars: PackedScalars): number => scalars.length / WORDS;
export const scalarBytes = (scalars: PackedScalars): Uint8Array<ArrayBuffer> =>
  new Uint8Array(scalars.buffer, scalars.byteOffset, scalars.byteLength);

/** Stores a value in [0, 2^256). */
export function writeScalar(scalars: PackedScalars, index: number, value: bigint): void {
  const at = WORDS * index;
  scalars[at] = value & MASK;
  scalars[at + 1] = (value >> 64n) & MASK;
  scalars[at + 2] = (value >> 128n) & MASK;
  scalars[at + 3] = value >> 192n;
}

export function readScalar(scalars: PackedScalars, index: number): bigint {
  const at = WORDS * index;
  return (
    scalars[at] | (scalars[at + 1] << 64n) | (scalars[at + 2] << 128n) | (scalars[at + 3] << 192n)
  );
}

export const isZeroScalar = (scalars: PackedScalars, index: number): boolean => {
  const at = WORDS * index;
  return (scalars[at] | scalars[at + 1] | scalars[at + 2] | scalars[at + 3]) === 0n;
};
