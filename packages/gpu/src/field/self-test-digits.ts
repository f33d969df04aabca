import { FR_MODULUS } from '@cuzk/core/field/fr';
import { invertMod, mod } from '@cuzk/core/field/modular';
import { openCommands, readBuffer } from '../device/commands.ts';
import type { GpuContext } from '../device/context.ts';
import { type Kernel, u32Const } from '../device/kernel.ts';
import { uploadWords } from '../device/upload-words.ts';
import {
  digitsOfLimbs,
  PMNS_BASE,
  PMNS_LIMBS,
  PMNS_MONTGOMERY_R,
  valueOfDigits,
} from './pmns-digits.ts';
import { seededWords } from './seeded-words.ts';

/** Operations of kernels/field/probe-digits.wgsl. */
export const DIGIT_OPS = { mul: 0, turn: 1, norm: 2, pack: 3, enter: 4, constant: 5 } as const;

/** Bounds of the generator: limbs of operand a, its top limbs by digit, limbs and top limbs of a constant. */
const OPERAND_LIMB = 2 ** 25;
const OPERAND_TOPS = [16.1, 10.8, 10.8, 16.1].map((digit) => Math.floor(digit * 2 ** 17) - 5);
export const CONSTANT_LIMB = 2 ** 22;
const CONSTANT_TOPS = Array<number>(4).fill(Math.floor(Number(PMNS_BASE) / 2 ** 47));

type Limbs = readonly number[];

/** The probe of one operation, whatever form of Fr the context is set to. */
const digitsKernel = (context: GpuContext, op: number): Promise<Kernel> =>
  context.kernels.get({
    file: 'field/probe-digits.wgsl',
    bindings: 'rrwu',
    workgroupSize: 64,
    constants: { OP: u32Const(op) },
    substitute: { 'field/fr.wgsl': 'generated/fr-pmns23.wgsl' },
  });

/** The operation on the limbs (or words, twelve a row) of each x and y. */
export async function probeDigits(
  context: GpuContext,
  op: number,
  x: readonly Limbs[],
  y: readonly Limbs[] = x,
): Promise<number[][]> {
  const kernel = await digitsKernel(context, op);
  const upload = (rows: readonly Limbs[]): GPUBuffer =>
    // signed limbs wrap to their words
    uploadWords(context, 'staging', Uint32Array.from(rows.flat()), 'probe');
  const sizeBytes = 4 * PMNS_LIMBS * x.length;
  const buffers = [upload(x), upload(y), context.buffers.take('staging', sizeBytes, 'probe')];
  const [, , out] = buffers;
  const commands = openCommands(context);
  commands.dispatch(kernel, buffers, Math.ceil(x.length / 64), [x.length, 0, 0, 0]);
  await commands.submit('probe');
  const words = new Int32Array(await readBuffer(context, out, 0, sizeBytes));
  for (const buffer of buffers) context.buffers.drop(buffer);
  return x.map((_, i) => [...words.subarray(PMNS_LIMBS * i, PMNS_LIMBS * (i + 1))]);
}

/** Numbers in [0, 1), the same in every run. */
export function randomShares(seed: number): () => number {
  const next = seededWords(seed);
  return () => next() / 2 ** 32;
}

/** Limbs with random signs, at their bounds (share 1) or anywhere within them. */
function extremeLimbs(
  random: () => number,
  limb: number,
  tops: readonly number[],
  share: number,
): number[] {
  const same = random() < 0.5 ? 1 : -1;
  const signs = random() < 0.5;
  return Array.from({ length: PMNS_LIMBS }, (_, i) => {
    const bound = i % 3 === 2 ? tops[Math.floor(i / 3)] : limb;
    const sign = signs ? (random() < 0.5 ? 1 : -1) : same;
    return sign * Math.floor(bound * (share + (1 - share) * random()));
  });
}

export const extremeOperand = (random: () => number, share: number): number[] =>
  extremeLimbs(random, OPERAND_LIMB, OPERAND_TOPS, share);
export const extremeConstant = (random: () => number, share: number): number[] =>
  extremeLimbs(random, CONSTANT_LIMB, CONSTANT_TOPS, share);

const R_INVERSE = invertMod(PMNS_MONTGOMERY_R, FR_MODULUS);

/** Whether the product that a device gave for two lists of limbs is theirs. */
export function isProduct(product: Limbs, x: Limbs, y: Limbs): boolean {
  const [p, a, b] = [product, x, y].map((limbs) => valueOfDigits(digitsOfLimbs(limbs)));
  return p === mod(a * b * R_INVERSE, FR_MODULUS);
}

/** Products of `count` operands with limbs at or near their bounds that differ from those of bigints. */
export async function countWrongDigits(context: GpuContext, count: number): Promise<number> {
  const random = randomShares(0x2f6e2b1);
  const x = Array.from({ length: count }, (_, i) => extremeOperand(random, [0, 0.9, 1][i % 3]));
  const y = x.map((_, i) => extremeConstant(random, [0.9, 1][i % 2]));
  const products = await probeDigits(context, DIGIT_OPS.mul, x, y);
  return products.filter((product, i) => !isProduct(product, x[i], y[i])).length;
}
