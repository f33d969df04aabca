import { openCommands, readBuffer } from '../device/commands.ts';
import type { GpuContext } from '../device/context.ts';
import { type Kernel, u32Const } from '../device/kernel.ts';
import { uploadWords } from '../device/upload-words.ts';
import { type FieldVariant, writeBiasedConstant, writeWords } from './field-variants.ts';

/** Operations of generated/probe-*.wgsl. */
export const PROBE = {
  mul: 0,
  sqr: 1,
  add: 2,
  sub: 3,
  neg: 4,
  equal: 5,
  biased: 6,
  chain: 7,
  looseMul: 8,
} as const;

/** The probe of one operation of one generated form, whatever form the context is set to. */
export const probeKernel = (
  context: GpuContext,
  prefix: 'fp' | 'fr',
  variantName: string,
  op: number,
): Promise<Kernel> =>
  context.kernels.get({
    file: `generated/probe-${prefix}.wgsl`,
    bindings: 'rrrrwu',
    workgroupSize: 64,
    constants: { OP: u32Const(op) },
    substitute: { [`field/${prefix}.wgsl`]: `generated/${prefix}-${variantName}.wgsl` },
  });

/**
 * Runs one probe operation on lists of stored values; returns the output words. Of a chain `steps` is how many products
 * it has after the first; `loosest` makes it one product of z and the loosest operand that mul takes.
 */
export async function runProbe(
  context: GpuContext,
  prefix: 'fp' | 'fr',
  variantName: string,
  field: FieldVariant,
  op: number,
  operands: { x: readonly bigint[]; y: readonly bigint[]; z: readonly bigint[] },
  { steps = 0, loosest = false } = {},
): Promise<Uint32Array> {
  const kernel = await probeKernel(context, prefix, variantName, op);
  const count = operands.x.length;
  const bytes = count * field.words * 4;
  const upload = (values: readonly bigint[]): GPUBuffer => {
    const words = new Uint32Array(count * field.words);
    values.forEach((value, i) => {
      writeWords(words, i * field.words, field.words, value);
    });
    return uploadWords(context, 'staging', words, 'probe');
  };
  const constant = new Uint32Array(field.words);
  writeBiasedConstant(field, constant, 0, field.montgomeryR);
  const c = uploadWords(context, 'staging', constant, 'probe');
  const buffers = [upload(operands.x), upload(operands.y), upload(operands.z), c];
  const out = context.buffers.take('staging', bytes, 'probe');
  const commands = openCommands(context);
  commands.dispatch(kernel, [...buffers, out], Math.ceil(count / 64), [
    count,
    steps,
    loosest ? 1 : 0,
    0,
  ]);
  await commands.submit('probe');
  const words = new Uint32Array(await readBuffer(context, out, 0, bytes));
  for (const buffer of [...buffers, out]) context.buffers.drop(buffer);
  return words;
}

/** The stored value of element i: signed, any multiple of the modulus away from the canonical one. */
export function readStored(field: FieldVariant, words: Uint32Array, i: number): bigint {
  let value = 0n;
  for (let k = field.words - 1; k >= 0; k--) {
    value = (value << 32n) | BigInt(words[i * field.words + k]);
  }
  return BigInt.asIntN(32 * field.words, value);
}
