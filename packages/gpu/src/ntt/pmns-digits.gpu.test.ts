import { FR_MODULUS, frInvert, frMul, frRootOfUnity } from '@cuzk/core/field/fr';
import { mod } from '@cuzk/core/field/modular';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openCommands, readBuffer } from '../device/commands.ts';
import type { OpenedDevice } from '../device/device.ts';
import { elementValues, seededElements } from '../testing/fr-values.ts';
import { openTestDevice } from '../testing/software-device.ts';
import { PMNS_LIMBS, PMNS_MONTGOMERY_R, pmnsDigits } from './pmns-digits.ts';
import { transformKernel } from './transform-field.ts';

const r = FR_MODULUS;
const Z = 0xd201000000010000n;
const OP = { mul: 0, turn: 1, norm: 2, pack: 3, enter: 4, constant: 5 };
/** Bounds of the generator: limbs of operand a, its top limbs by digit, limbs and top limbs of a constant. */
const OPERAND_LIMB = 2 ** 25;
const OPERAND_TOPS = [16.1, 10.8, 10.8, 16.1].map((digit) => Math.floor(digit * 2 ** 17) - 5);
const CONSTANT_LIMB = 2 ** 22;
const CONSTANT_TOP = Math.floor(Number(Z) / 2 ** 47);

const digitsOf = (limbs: readonly number[]): bigint[] =>
  [0, 3, 6, 9].map(
    (i) => BigInt(limbs[i]) + (BigInt(limbs[i + 1]) << 23n) + (BigInt(limbs[i + 2]) << 46n),
  );
const limbsValue = (limbs: readonly number[]): bigint =>
  mod(
    digitsOf(limbs).reduceRight((sum, digit) => sum * Z + digit, 0n),
    r,
  );
const limbsOf = (value: bigint): number[] =>
  pmnsDigits(value).flatMap((digit) => {
    const low = BigInt.asIntN(23, digit);
    const middle = BigInt.asIntN(23, (digit - low) >> 23n);
    return [low, middle, (digit - low - (middle << 23n)) >> 46n].map(Number);
  });

/** xorshift: the same operands in every run. */
function randomNumbers(seed: number): () => number {
  let state = seed;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 2 ** 32;
  };
}

/** Limbs with random signs, at their bounds (share 1) or anywhere within them. */
function extremeLimbs(random: () => number, limb: number, tops: readonly number[], share: number) {
  const same = random() < 0.5 ? 1 : -1;
  const signs = random() < 0.5;
  return Array.from({ length: PMNS_LIMBS }, (_, i) => {
    const bound = i % 3 === 2 ? tops[Math.floor(i / 3)] : limb;
    const sign = signs ? (random() < 0.5 ? 1 : -1) : same;
    return sign * Math.floor(bound * (share + (1 - share) * random()));
  });
}

describe('Fr in digits of base z', () => {
  let opened: OpenedDevice;
  beforeAll(async () => {
    opened = await openTestDevice({ variants: { fp: 'signed24', fr: 'signed24' } });
  });
  afterAll(() => {
    opened.close();
  });

  const run = async (
    op: number,
    x: readonly (readonly number[])[],
    y: readonly (readonly number[])[] = x,
  ): Promise<number[][]> => {
    const { context } = opened;
    const kernel = await transformKernel(
      context,
      { file: 'ntt/probe-digits.wgsl', bindings: 'rrwu', workgroupSize: 64 },
      { OP: op },
    );
    const upload = (rows: readonly (readonly number[])[]): GPUBuffer => {
      const words = Int32Array.from(rows.flat());
      const buffer = context.buffers.take('staging', words.byteLength, 'probe');
      context.device.queue.writeBuffer(buffer, 0, words);
      return buffer;
    };
    const buffers = [upload(x), upload(y)];
    const out = context.buffers.take('staging', 48 * x.length, 'probe');
    const commands = openCommands(context);
    commands.dispatch(kernel, [...buffers, out], Math.ceil(x.length / 64), [x.length, 0, 0, 0]);
    await commands.submit('probe');
    const words = new Int32Array(await readBuffer(context, out, 0, 48 * x.length));
    for (const buffer of [...buffers, out]) context.buffers.drop(buffer);
    return x.map((_, i) => [...words.subarray(12 * i, 12 * i + 12)]);
  };
  const wordsValue = (limbs: readonly number[]): bigint =>
    limbs
      .slice(0, 8)
      .reduceRight((sum, word) => (sum << 32n) | BigInt.asUintN(32, BigInt(word)), 0n);

  const edges = [0n, 1n, 2n, r - 1n, r >> 1n, (r >> 1n) + 1n, Z, Z ** 2n, Z ** 3n, r - Z, Z >> 1n];
  const values = [...edges, ...elementValues(seededElements(11, 500))];

  it('multiplies operands at the bounds of every limb exactly, and its products are operands again', async () => {
    const random = randomNumbers(0x7654321);
    const x = Array.from({ length: 2000 }, (_, i) =>
      extremeLimbs(random, OPERAND_LIMB, OPERAND_TOPS, i % 3 === 0 ? 0 : i % 3 === 1 ? 0.9 : 1),
    );
    const y = x.map((_, i) =>
      extremeLimbs(random, CONSTANT_LIMB, Array(4).fill(CONSTANT_TOP), i % 2 === 0 ? 0.9 : 1),
    );
    values.forEach((value, i) => {
      x.push(limbsOf(value));
      y.push(limbsOf(values[(i * 7 + 3) % values.length]));
    });
    const products = await run(OP.mul, x, y);
    const rInverse = frInvert(PMNS_MONTGOMERY_R);
    products.forEach((product, i) => {
      expect(limbsValue(product)).toBe(frMul(frMul(limbsValue(x[i]), limbsValue(y[i])), rInverse));
      expect(product.every((limb, k) => k % 3 === 2 || (limb >= 0 && limb < 2 ** 23))).toBe(true);
      for (const digit of digitsOf(product)) {
        expect(Math.abs(Number(digit))).toBeLessThan(2.68 * 2 ** 63);
      }
    });
  });

  it('turns by the fourth root of forward transforms, reduces digits and packs them', async () => {
    const random = randomNumbers(0x1234567);
    const x = Array.from({ length: 500 }, () =>
      extremeLimbs(random, OPERAND_LIMB, OPERAND_TOPS, 0.5),
    );
    const [turned, reduced, packed] = [
      await run(OP.turn, x),
      await run(OP.norm, x),
      await run(OP.pack, x),
    ];
    x.forEach((limbs, i) => {
      const value = limbsValue(limbs);
      expect(limbsValue(turned[i])).toBe(frMul(value, frRootOfUnity(2)));
      expect(limbsValue(reduced[i])).toBe(value);
      for (const digit of digitsOf(reduced[i])) {
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
    (await run(OP.enter, words)).forEach((entered, i) => {
      expect(wordsValue(entered)).toBe(mod(numbers[i], r));
    });
    const limbs = values.map(limbsOf);
    (await run(OP.constant, limbs)).forEach((constant, i) => {
      expect(limbsValue(constant)).toBe(values[i]);
      expect(constant.every((limb, k) => k % 3 === 2 || Math.abs(limb) <= CONSTANT_LIMB)).toBe(
        true,
      );
    });
  });
});
