import { bigintFromLe, bigintToLe } from '../bytes.ts';
import { invertMod, mod, powMod } from './modular.ts';

/** Order of the BLS12-381 groups: the scalar field, the field of every circuit (spec §3.1). */
export const FR_MODULUS = 0x73eda753299d7d483339d80809a1d80553bda402fffe5bfeffffffff00000001n;
export const FR_BYTES = 32;
/** Multiplicative generator; also the coset shift of bellperson's domain. */
export const FR_GENERATOR = 7n;
export const FR_TWO_ADICITY = 32;
/** 7^((r−1)/2^32). */
const ROOT_OF_UNITY = 0x16a2a19edfe81f20d09b681922c813b4b63683508c2280b93829971f439f0d2bn;

export const frAdd = (a: bigint, b: bigint): bigint => (a + b) % FR_MODULUS;
export const frSub = (a: bigint, b: bigint): bigint => mod(a - b, FR_MODULUS);
export const frMul = (a: bigint, b: bigint): bigint => (a * b) % FR_MODULUS;
export const frNeg = (a: bigint): bigint => mod(-a, FR_MODULUS);
export const frPow = (base: bigint, exponent: bigint): bigint => powMod(base, exponent, FR_MODULUS);
export const frInvert = (a: bigint): bigint => invertMod(a, FR_MODULUS);

/** Generator of the domain of size 2^logN. Throws RangeError if logN exceeds the two-adicity. */
export function frRootOfUnity(logN: number): bigint {
  if (!Number.isInteger(logN) || logN < 0 || logN > FR_TWO_ADICITY) {
    throw new RangeError(`logN: expected an integer in 0..${FR_TWO_ADICITY}, got ${logN}`);
  }
  let root = ROOT_OF_UNITY;
  for (let i = FR_TWO_ADICITY; i > logN; i--) root = frMul(root, root);
  return root;
}

/** 32-byte little-endian canonical encoding of a value in [0, r). */
export const frToBytes = (value: bigint): Uint8Array => bigintToLe(value, FR_BYTES);

/** Decodes 32 little-endian bytes; undefined where they are not canonical. */
export function frFromBytes(bytes: Uint8Array): bigint | undefined {
  if (bytes.length !== FR_BYTES) return undefined;
  const value = bigintFromLe(bytes);
  return value < FR_MODULUS ? value : undefined;
}
