import { invertMod, mod } from './modular.ts';

/** Modulus of the BLS12-381 base field (spec §3.2). */
export const FP_MODULUS =
  0x1a0111ea397fe69a4b1ba7b6434bacd764774b84f38512bf6730d2a0f6b0f6241eabfffeb153ffffb9feffffffffaaabn;
export const FP_BYTES = 48;

export const fpAdd = (a: bigint, b: bigint): bigint => (a + b) % FP_MODULUS;
export const fpSub = (a: bigint, b: bigint): bigint => mod(a - b, FP_MODULUS);
export const fpMul = (a: bigint, b: bigint): bigint => (a * b) % FP_MODULUS;
export const fpInvert = (a: bigint): bigint => invertMod(a, FP_MODULUS);
