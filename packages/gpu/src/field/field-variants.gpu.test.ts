import { invertMod, mod } from '@cuzk/core/field/modular';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { OpenedDevice } from '../device/device.ts';
import { openTestDevice } from '../testing/software-device.ts';
import { PROBE, runProbe, readStored as signedAt } from './field-probe.ts';
import { type FieldVariant, FP_VARIANTS, FR_VARIANTS } from './field-variants.ts';
import { seededWords } from './seeded-words.ts';

const cases: [string, 'fp' | 'fr', string, FieldVariant][] = [
  ...Object.entries(FP_VARIANTS).map(
    ([name, field]) => [`Fp ${name}`, 'fp', name, field] as [string, 'fp', string, FieldVariant],
  ),
  ...Object.entries(FR_VARIANTS).map(
    ([name, field]) => [`Fr ${name}`, 'fr', name, field] as [string, 'fr', string, FieldVariant],
  ),
];

/** The same operands in every run. */
function randomBits(seed: number): (bits: number) => bigint {
  const next = seededWords(seed);
  return (bits) => {
    let value = 0n;
    for (let i = 0; i < bits; i += 32) value = (value << 32n) | BigInt(next());
    return value >> BigInt((32 - (bits % 32)) % 32);
  };
}

/** Stored values of up to ±p, among them 0, ±1, p − 1, p/2, powers of two and all-ones or all-extreme limbs. */
function edges({ modulus, limbs, limbBits }: FieldVariant): bigint[] {
  const p = modulus;
  const values = [0n, 1n, 2n, p - 1n, p - 2n, p, p >> 1n, (p >> 1n) + 1n, -1n, -p, -(p >> 1n)];
  for (const k of [12, 13, 23, 24, 31, 32, 64, 127, 128, 192, 240, 247, 252])
    values.push(1n << BigInt(k));
  const digits = (digit: (i: number) => bigint): bigint => {
    let value = 0n;
    for (let i = 0; i < limbs - 1; i++) value += digit(i) << BigInt(limbBits * i);
    return value;
  };
  const ones = (1n << BigInt(limbBits)) - 1n;
  const half = 1n << BigInt(limbBits - 1);
  values.push(
    digits(() => ones),
    digits(() => half),
    digits(() => half - 1n),
  );
  values.push(
    digits((i) => (i % 2 === 0 ? ones : 0n)),
    digits((i) => (i % 2 === 0 ? 0n : ones)),
  );
  return values;
}

/** All pairs of edges and as many random pairs again. */
function pairs(field: FieldVariant): { x: bigint[]; y: bigint[] } {
  const random = randomBits(0x1234567);
  const list = edges(field);
  const x: bigint[] = [];
  const y: bigint[] = [];
  for (const a of list) {
    for (const b of list) {
      x.push(a);
      y.push(b);
    }
  }
  const bits = field.modulus.toString(2).length;
  for (let i = 0; i < 1000; i++) {
    x.push(random(bits) % field.modulus);
    y.push(random(bits) % field.modulus);
  }
  return { x, y };
}

const magnitude = (value: bigint): bigint => (value < 0n ? -value : value);

describe.each(cases)('%s', (_title, prefix, name, field) => {
  let opened: OpenedDevice;
  beforeAll(async () => {
    opened = await openTestDevice();
  });
  afterAll(() => {
    opened.close();
  });
  const { modulus: p } = field;
  const rInverse = invertMod(field.montgomeryR, p);
  const run = (
    op: number,
    operands: { x: bigint[]; y: bigint[]; z?: bigint[] },
    options?: { steps?: number; loosest?: boolean },
  ) =>
    runProbe(
      opened.context,
      prefix,
      name,
      field,
      op,
      { x: operands.x, y: operands.y, z: operands.z ?? operands.y },
      options,
    );

  it('multiplies differences of stored values by constants, within half a modulus and the Montgomery share', async () => {
    const { x, y } = pairs(field);
    const z = x.map((_, i) => mod(y[(i * 7 + 3) % y.length], p) + field.bias);
    for (const [op, extra] of [
      [PROBE.mul, 0n],
      [PROBE.looseMul, 1n],
    ] as const) {
      if (op === PROBE.looseMul && field.looseA < 1.5) continue;
      const words = await run(op, { x, y, z });
      x.forEach((a, i) => {
        const b = z[i] - field.bias;
        const left = a - y[i] + extra * b;
        const out = signedAt(field, words, i);
        expect(mod(out - left * b * rInverse, p)).toBe(0n);
        const share = magnitude(left * b) / field.montgomeryR;
        expect(magnitude(out) <= share + p / 2n + p / 4096n + 1n).toBe(true);
      });
    }
  });

  it('multiplies operands whose limbs are all at their bounds', async () => {
    const random = randomBits(99);
    const count = 512;
    const topShift = BigInt(field.limbBits * (field.limbs - 1));
    const limbs = (digit: () => bigint, top: bigint): bigint => {
      let value = top << topShift;
      for (let i = 0; i < field.limbs - 1; i++) value += digit() << BigInt(field.limbBits * i);
      return value;
    };
    const ones = (1n << BigInt(field.limbBits)) - 1n;
    const top = (p >> topShift) - 1n;
    const pick = (): bigint => (random(1) === 0n ? 0n : ones);
    const x: bigint[] = [];
    const y: bigint[] = [];
    const z: bigint[] = [];
    for (let i = 0; i < count; i++) {
      const same = pick();
      x.push(limbs(i % 4 < 2 ? () => same : pick, random(1) * top));
      y.push(limbs(i % 4 < 2 ? () => ones - same : pick, random(1) * top));
      const other = pick();
      z.push(limbs(i % 2 === 0 ? () => other : pick, random(1) * top));
    }
    const words = await run(PROBE.mul, { x, y, z });
    for (let i = 0; i < count; i++) {
      const expected = (x[i] - y[i]) * (z[i] - field.bias) * rInverse;
      expect(mod(signedAt(field, words, i) - expected, p)).toBe(0n);
    }
  });

  it('squares, adds, subtracts, negates and carries', async () => {
    const { x, y } = pairs(field);
    const squares = await run(PROBE.sqr, { x, y });
    const plain: [number, (a: bigint, b: bigint) => bigint][] = [
      [PROBE.add, (a, b) => a + b],
      [PROBE.sub, (a, b) => a - b],
      [PROBE.neg, (a) => -a],
      [PROBE.biased, (a) => a],
    ];
    x.forEach((a, i) => {
      expect(mod(signedAt(field, squares, i) - a * a * rInverse, p)).toBe(0n);
    });
    for (const [op, expected] of plain) {
      const words = await run(op, { x, y });
      x.forEach((a, i) => {
        expect(signedAt(field, words, i)).toBe(mod(expected(a, y[i]), p));
      });
    }
  });

  it('tells equal from different, whatever multiple of the modulus lies between', async () => {
    const { x, y } = pairs(field);
    const other = y.map((b, i) =>
      i % 3 === 0 ? x[i] : i % 3 === 1 ? b : x[i] > 0n ? x[i] - p : b,
    );
    const words = await run(PROBE.equal, { x, y: other });
    let equal = 0;
    x.forEach((a, i) => {
      const expected = mod(a - other[i], p) === 0n ? 1 : 0;
      equal += expected;
      expect(words[i * field.words]).toBe(expected);
    });
    expect(equal).toBeGreaterThan(x.length / 3);
    expect(equal).toBeLessThan(x.length);
  });

  it('stays exact over a chain of 300 products and differences', async () => {
    const { x, y } = pairs(field);
    const z = x.map((_, i) => mod(x[(i + 11) % x.length] + y[i], p));
    const words = await run(PROBE.chain, { x, y, z }, { steps: 300 });
    for (let i = 0; i < x.length; i += 5) {
      let value = x[i] - z[i];
      for (let step = 0; step < 300; step++) value = mod(value * y[i] - z[i], p);
      expect(signedAt(field, words, i)).toBe(value);
    }
  });
});
