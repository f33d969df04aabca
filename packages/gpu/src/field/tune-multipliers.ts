import type { FieldVariants, GpuContext } from '../device/context.ts';
import { INTEGER_FORMS } from './field-variants.ts';
import { type MultiplierForm, measureMultiplier, rateKernel } from './measure-multiplier.ts';

export interface MeasuredMultiplier {
  readonly field: 'fp' | 'fr';
  readonly variant: string;
  /** As measureMultiplier gives it. */
  readonly millionPerSecond: number;
}

/** A form that is faster by less than this is within the spread: the one that the self-test prefers stays. */
const WORTHWHILE = 1.1;
const TURNS = { software: 2, hardware: 1 };

/** Compiles the pipelines that tuneMultipliers times, side by side. */
export async function compileMultipliers(
  context: GpuContext,
  allowed: FieldVariants,
): Promise<void> {
  const forms = [allowed, INTEGER_FORMS].flatMap(({ fp, fr }): MultiplierForm[] => [
    { field: 'fp', variant: fp },
    { field: 'fr', variant: fr },
  ]);
  await Promise.all(forms.map((form) => rateKernel(context, form)));
}

/** Rates of the forms that the self-test allows, and the fastest of each field. */
export async function tuneMultipliers(
  context: GpuContext,
  allowed: FieldVariants,
): Promise<{ variants: FieldVariants; measured: MeasuredMultiplier[] }> {
  const measured: MeasuredMultiplier[] = [];
  const fastest = async <F extends 'fp' | 'fr'>(field: F): Promise<FieldVariants[F]> => {
    const candidates = [...new Set([allowed[field], INTEGER_FORMS[field]])];
    const rates = candidates.map(() => 0);
    // in turns, so that what else the machine does meets both; nothing else is on a card
    const turns = TURNS[context.traits.software ? 'software' : 'hardware'];
    for (let turn = 0; turn < turns; turn++) {
      for (const [i, variant] of candidates.entries()) {
        const rate = await measureMultiplier(context, { field, variant } as MultiplierForm);
        rates[i] = Math.max(rates[i], rate);
      }
    }
    candidates.forEach((variant, i) => {
      measured.push({ field, variant, millionPerSecond: rates[i] });
    });
    const best = rates.reduce((at, rate, i) => (rate > WORTHWHILE * rates[at] ? i : at), 0);
    return candidates[best];
  };
  const fp = await fastest('fp');
  const fr = await fastest('fr');
  return { variants: { fp, fr }, measured };
}
