import { FR_MODULUS, frMul, frRootOfUnity } from '@cuzk/core/field/fr';
import { mod } from '@cuzk/core/field/modular';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { OpenedDevice } from '../device/device.ts';
import { elementValues, seededElements } from '../testing/fr-values.ts';
import { openTestDevice } from '../testing/software-device.ts';
import { digitsOfLimbs, pmnsDigits, valueOfDigits } from './pmns-digits.ts';
import {
  CONSTANT_LIMB,
  DIGIT_OPS,
  extremeConstant,
  extremeOperand,
  isProduct,
  probeDigits,
  randomShares,
} from './self-test-digits.ts';

const r = FR_MODULUS;
const Z = 0xd201000000010000n;
const limbsValue = (limbs: readonly number[]): bigint => valueOfDigits(digitsOfLimbs(limbs));
const limbsOf = (value: bigint): number[] =>
  pmnsDigits(value).flatMap((digit) => {
    const low = BigInt.asIntN(23, digit);
    const middle = BigInt.asIntN(23, (digit - low) >> 23n);
    return [low, middle, (digit - low - (middle << 23n)) >> 46n].map(Number);
  });

describe('Fr in digits of base z', () => {
  let opened: OpenedDevice;
  beforeAll(async () => {
    opened = await openTestDevice({ variants: { fp: 'signed24', fr: 'signed24' } });
  });
  afterAll(() => {
    opened.close();
  });

  const run = (
    op: number,
    x: readonly (readonly number[])[],
    y: readonly (readonly number[])[] = x,
  ): Promise<number[][]> => probeDigits(opened.context, op, x, y);
  const wordsValue = (limbs: readonly number[]): bigint =>
    limbs
      .slice(0, 8)
      .reduceRight((sum, word) => (sum << 32n) | BigInt.asUintN(32, BigInt(word)), 0n);

  const edges = [0n, 1n, 2n, r - 1n, r >> 1n, (r >> 1n) + 1n, Z, Z ** 2n, Z ** 3n, r - Z, Z >> 1n];
  const values = [...edges, ...elementValues(seededElements(11, 500))];

  it('multiplies operands at the bounds of every limb exactly, and its products are operands again', async () => {
    const random = randomShares(0x7654321);
    const x = Array.from({ length: 2000 }, (_, i) =>
      extremeOperand(random, i % 3 === 0 ? 0 : i % 3 === 1 ? 0.9 : 1),
    );
    const y = x.map((_, i) => extremeConstant(random, i % 2 === 0 ? 0.9 : 1));
    values.forEach((value, i) => {
      x.push(limbsOf(value));
      y.push(limbsOf(values[(i * 7 + 3) % values.length]));
    });
    const products = await run(DIGIT_OPS.mul, x, y);
    products.forEach((product, i) => {
      expect(isProduct(product, x[i], y[i])).toBe(true);
      expect(product.every((limb, k) => k % 3 === 2 || (limb >= 0 && limb < 2 ** 23))).toBe(true);
      for (const digit of digitsOfLimbs(product)) {
        expect(Math.abs(Number(digit))).toBeLessThan(2.68 * 2 ** 63);
      }
    });
  });

  it('turns by the fourth root of forward transforms, reduces digits and packs them', async () => {
    const random = randomShares(0x1234567);
    const x = Array.from({ length: 500 }, () => extremeOperand(random, 0.5));
    const [turned, reduced, packed] = [
      await run(DIGIT_OPS.turn, x),
      await run(DIGIT_OPS.norm, x),
      await run(DIGIT_OPS.pack, x),
    ];
    x.forEach((limbs, i) => {
      const value = limbsValue(limbs);
      expect(limbsValue(turned[i])).toBe(frMul(value, frRootOfUnity(2)));
      expect(limbsValue(reduced[i])).toBe(value);
      for (const digit of digitsOfLimbs(reduced[i])) {
        expect(2 * Math.abs(Number(digit))).toBeLessThan(Number(Z) + 2 ** 50);
      }
      expect(wordsValue(packed[i])).toBe(value);
    });
  });

  it('reads words in two’s complement, small numbers of either sign among them, and constants', async () => {
    const numbers = [
      ...values,
      ...[1n, 7n, r >> 1n, 2n ** 63n, 2n ** 63n + 1n, 2n ** 64n].flatMap((v) => [v, -v, v - 1n]),
    ];
    const words = numbers.map((value) =>
      Array.from({ length: 12 }, (_, k) =>
        k < 8 ? Number(BigInt.asIntN(32, value >> BigInt(32 * k))) : 0,
      ),
    );
    (await run(DIGIT_OPS.enter, words)).forEach((entered, i) => {
      expect(wordsValue(entered)).toBe(mod(numbers[i], r));
    });
    const limbs = values.map(limbsOf);
    (await run(DIGIT_OPS.constant, limbs)).forEach((constant, i) => {
      expect(limbsValue(constant)).toBe(values[i]);
      expect(constant.every((limb, k) => k % 3 === 2 || Math.abs(limb) <= CONSTANT_LIMB)).toBe(
        true,
      );
    });
  });
});
