import type { FieldVariant } from './field-variants.ts';
import { seededWords } from './seeded-words.ts';

/** Operands of a probe, stored values. */
export interface ProbeOperands {
  readonly x: bigint[];
  readonly y: bigint[];
  readonly z: bigint[];
}

/**
 * Integers whose sums, products and fused sums lie on and around the middle between two f32 values, up to the size
 * that column sums reach (2^52). Every exact result fits a double.
 */
export function roundingTriples(count: number): Float32Array {
  const next = seededWords(0x51ed270b);
  const triples = new Float32Array(4 * count);
  const words = new Int32Array(triples.buffer);
  for (let i = 0; i < count; i++) {
    const exponent = next() % 28; // of x above 24 bits
    const sign = next() % 2 === 0 ? 1 : -1;
    const mantissa = 2 ** 23 + (next() % 2 ** 23);
    // x has 24 significant bits; y is half a unit of x in the last place, or that and one, or anything
    const unit = 2 ** exponent;
    const kind = i % 4;
    const half = unit / 2;
    const x = sign * mantissa * unit;
    const y =
      kind === 0 ? half : kind === 1 ? half + Math.max(1, half / 4) : (next() % 2 ** 24) - 2 ** 23;
    const small = next() % 2 === 0 ? 1 : -1;
    if (kind === 3) {
      // products: odd factors below 2^24, and a sum of the size of a column
      triples[4 * i] = small * (2 * (next() % 2 ** 23) + 1);
      triples[4 * i + 1] = 2 * (next() % 2 ** 22) + 1;
      triples[4 * i + 2] = sign * mantissa * 2 ** (next() % 29);
    } else {
      triples[4 * i] = Math.fround(x);
      triples[4 * i + 1] = Math.fround(small * y);
      triples[4 * i + 2] = 0;
    }
    words[4 * i + 3] = (next() | 0) >> 8;
  }
  return triples;
}

/**
 * Pairs of limb lists as probe operands: (x − y) + loose·z and z have these limbs. Both are negated where the top limb
 * of the second one is negative, since a biased constant cannot be.
 */
export function limbOperands(
  field: FieldVariant,
  pairs: readonly (readonly [readonly number[], readonly number[]])[],
  loose: boolean,
): ProbeOperands {
  const operands: ProbeOperands = { x: [], y: [], z: [] };
  for (const [first, second] of pairs) {
    const sign = second[field.limbs - 1] < 0 ? -1 : 1;
    const [a, b] = [first, second].map((limbs) => limbs.map((limb) => sign * limb));
    let [x, y, z] = [0n, 0n, field.bias];
    for (let i = 0; i < field.limbs; i++) {
      const weight = 1n << BigInt(field.limbBits * i);
      const difference = a[i] - (loose ? b[i] : 0);
      if (difference > 0) x += BigInt(difference) * weight;
      else y -= BigInt(difference) * weight;
      z += BigInt(b[i]) * weight;
    }
    operands.x.push(x);
    operands.y.push(y);
    operands.z.push(z);
  }
  return operands;
}

/** Values whose limbs are all at their bounds in many sign patterns, read by the probe as (x − y)·z. */
export function extremeOperands(field: FieldVariant, count: number): ProbeOperands {
  const next = seededWords(0x2545f491);
  const ones = (1n << BigInt(field.limbBits)) - 1n;
  const topShift = BigInt(field.limbBits * (field.limbs - 1));
  const top = (field.modulus >> topShift) - 1n;
  const limbs = (digit: () => bigint): bigint => {
    let value = next() % 2 === 0 ? 0n : top << topShift;
    for (let i = 0; i < field.limbs - 1; i++) value += digit() << BigInt(field.limbBits * i);
    return value;
  };
  const near = (digit: bigint): bigint => {
    const distance = BigInt(next() % 4096);
    return digit === 0n ? distance : digit - distance;
  };
  const pick = (): bigint => (next() % 2 === 0 ? 0n : ones);
  const operands: ProbeOperands = { x: [], y: [], z: [] };
  for (let i = 0; i < count; i++) {
    const [a, b] = [pick(), pick()];
    const equalSigns = i % 4 < 2;
    const exact = i % 3 === 0;
    const digit = (fixed: bigint): (() => bigint) => {
      const choose = equalSigns ? () => fixed : pick;
      return exact ? choose : () => near(choose());
    };
    operands.x.push(limbs(digit(a)));
    operands.y.push(limbs(digit(ones - a)));
    operands.z.push(limbs(digit(b)));
  }
  return operands;
}

/** Canonical random values. */
export function randomOperands(field: FieldVariant, count: number, seed: number): ProbeOperands {
  const next = seededWords(seed);
  const value = (): bigint => {
    let bits = 0n;
    for (let i = 0; i <= field.words; i++) bits = (bits << 32n) | BigInt(next());
    return bits % field.modulus;
  };
  const list = (): bigint[] => Array.from({ length: count }, value);
  return { x: list(), y: list(), z: list() };
}
