import type { FieldVariants, GpuContext } from '../device/context.ts';
import { INTEGER_FORMS } from './field-variants.ts';
import { type MultiplierForm, measureMultiplier } from './measure-multiplier.ts';

export interface MeasuredMultiplier {
  readonly field: 'fp' | 'fr';
  readonly variant: string;
  /** As measureMultiplier gives it. */
  readonly millionPerSecond: number;
}

/** A form that is faster by less than this is within the spread: the one that the self-test prefers stays. */
const WORTHWHILE = 1.1;

/** Rates of the forms that the self-test allows, and the fastest of each field. */
export async function tuneMultipliers(
  context: GpuContext,
  allowed: FieldVariants,
): Promise<{ variants: FieldVariants; measured: MeasuredMultiplier[] }> {
  const measured: MeasuredMultiplier[] = [];
  const fastest = async <F extends 'fp' | 'fr'>(field: F): Promise<FieldVariants[F]> => {
    const candidates = [...new Set([allowed[field], INTEGER_FORMS[field]])];
    let best: { variant: FieldVariants[F]; rate: number } | undefined;
    for (const variant of candidates) {
      const rate = await measureMultiplier(context, { field, variant } as MultiplierForm);
      measured.push({ field, variant, millionPerSecond: rate });
      if (best === undefined || rate > WORTHWHILE * best.rate) best = { variant, rate };
    }
    return best === undefined ? allowed[field] : best.variant;
  };
  const fp = await fastest('fp');
  const fr = await fastest('fr');
  return { variants: { fp, fr }, measured };
}
