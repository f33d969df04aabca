import { bls12_381 } from '@noble/curves/bls12-381.js';
import { bigintFromBe, bigintToBe } from '../bytes.ts';
import { FP_BYTES, FP_MODULUS } from '../field/fp.ts';
import type { Fp2 } from './fp2.ts';

/** How one coordinate is written in a point encoding (spec §3.3). */
export interface CoordinateCodec<T> {
  readonly bytes: number;
  encode(value: T): Uint8Array;
  /** undefined where a half is not below q. `bytes` long, flag bits already cleared. */
  decode(bytes: Uint8Array): T | undefined;
  /** One of the two square roots; undefined where there is none. */
  sqrt(value: T): T | undefined;
  /** Whether y is the lexicographically larger of y and −y. */
  isLarger(y: T): boolean;
}

const HALF = (FP_MODULUS - 1n) / 2n;

/** noble throws where there is no root. */
function rootOrUndefined<T>(sqrt: (value: T) => T, value: T): T | undefined {
  try {
    return sqrt(value);
  } catch {
    return undefined;
  }
}

function decodeFp(bytes: Uint8Array): bigint | undefined {
  const value = bigintFromBe(bytes);
  return value < FP_MODULUS ? value : undefined;
}

const { Fp, Fp2: nobleFp2 } = bls12_381.fields;

export const FP_CODEC: CoordinateCodec<bigint> = {
  bytes: FP_BYTES,
  encode: (value) => bigintToBe(value, FP_BYTES),
  decode: decodeFp,
  sqrt: (value) => rootOrUndefined((v: bigint) => Fp.sqrt(v), value),
  isLarger: (y) => y > HALF,
};

/** c1 comes first, also in the comparison. */
export const FP2_CODEC: CoordinateCodec<Fp2> = {
  bytes: 2 * FP_BYTES,
  encode(value) {
    const bytes = new Uint8Array(2 * FP_BYTES);
    bytes.set(bigintToBe(value.c1, FP_BYTES));
    bytes.set(bigintToBe(value.c0, FP_BYTES), FP_BYTES);
    return bytes;
  },
  decode(bytes) {
    const c1 = decodeFp(bytes.subarray(0, FP_BYTES));
    const c0 = decodeFp(bytes.subarray(FP_BYTES));
    return c0 === undefined || c1 === undefined ? undefined : { c0, c1 };
  },
  sqrt: (value) => rootOrUndefined((v: Fp2) => nobleFp2.sqrt(v), value),
  isLarger: (y) => (y.c1 === 0n ? y.c0 > HALF : y.c1 > HALF),
};
