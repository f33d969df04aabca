import type { GpuContext } from '../device/context.ts';
import { type Kernel, type KernelSpec, u32Const } from '../device/kernel.ts';
import { FR_VARIANTS, writeBiasedConstant, writeWords } from '../field/field-variants.ts';
import { PMNS_LIMBS, PMNS_MONTGOMERY_R, pmnsBiasedDigits } from '../field/pmns-digits.ts';

/** How constants of Fr are encoded for kernels. */
export interface ConstantField {
  readonly montgomeryR: bigint;
  /** Writes value·R, biased, as eight words at `offset`; the value is canonical. */
  writeConstant(words: Uint32Array, offset: number, value: bigint): void;
}

/** The form of Fr that transforms compute in and keep their vectors in. */
export interface TransformField extends ConstantField {
  readonly limbs: number;
  /** False where vectors are kept in the common form, so that nothing is converted. */
  readonly converts: boolean;
  /** Import substitutions that select it in a kernel. */
  readonly substitute: Readonly<Record<string, string>>;
}

/** Constants as every other kernel of the device reads them. */
export function commonField(context: Pick<GpuContext, 'variants'>): ConstantField {
  const field = FR_VARIANTS[context.variants.fr];
  return {
    montgomeryR: field.montgomeryR,
    writeConstant: (words, offset, value) => writeBiasedConstant(field, words, offset, value),
  };
}

/**
 * Digits in base z where the device's multiplier has f32 column sums, the device's own variant otherwise
 * (docs/kernels.md, "Digits in base z").
 */
export function transformField(context: Pick<GpuContext, 'variants'>): TransformField {
  const name = context.variants.fr;
  if (name !== 'signed24') {
    return {
      ...commonField(context),
      limbs: FR_VARIANTS[name].limbs,
      converts: false,
      substitute: { 'ntt/exchange.wgsl': `generated/exchange-${FR_VARIANTS[name].limbs}.wgsl` },
    };
  }
  return {
    montgomeryR: PMNS_MONTGOMERY_R,
    limbs: PMNS_LIMBS,
    converts: true,
    substitute: {
      'field/fr.wgsl': 'generated/fr-pmns23.wgsl',
      'ntt/exchange.wgsl': `generated/exchange-${PMNS_LIMBS}.wgsl`,
    },
    writeConstant: (words, offset, value) => {
      pmnsBiasedDigits(value).forEach((digit, i) => {
        writeWords(words, offset + 2 * i, 2, digit);
      });
    },
  };
}

/** A kernel of the transforms: its numbers and switches arrive as constants, its field by substitution. */
export function transformKernel(
  context: GpuContext,
  spec: Pick<KernelSpec, 'file' | 'bindings' | 'workgroupSize' | 'substitute'>,
  numbers: Readonly<Record<string, number>> = {},
  switches: Readonly<Record<string, boolean>> = {},
): Promise<Kernel> {
  return context.kernels.get({
    ...spec,
    constants: Object.fromEntries([
      ...Object.entries(numbers).map(([name, value]) => [name, u32Const(value)] as const),
      ...Object.entries(switches).map(
        ([name, on]) => [name, { type: 'bool', value: on ? 1 : 0 }] as const,
      ),
    ]),
    substitute: { ...transformField(context).substitute, ...spec.substitute },
  });
}
