import type { FieldVariants } from '@cuzk/gpu/device/context';
import { INTEGER_FORMS, sameForms } from '@cuzk/gpu/field/field-variants';

/** The first major version of Mesa whose llvmpipe was measured to be faster (docs/performance.md). */
const FAST_MESA = 26;

/** What makes this adapter slower than it need be, and what to do about it: a line each, none where nothing does. */
export function adapterAdvice({
  software,
  description,
  variants,
}: {
  readonly software: boolean;
  readonly description: string;
  readonly variants: FieldVariants;
}): string[] {
  const advice: string[] = [];
  const mesa = Number(/\bMesa (\d+)\./.exec(description)?.[1]);
  if (software && mesa < FAST_MESA) {
    advice.push(`Mesa ${FAST_MESA} or newer proves in 0.5 to 0.7 of the time of Mesa 22 to 25`);
  }
  if (sameForms(variants, INTEGER_FORMS)) {
    advice.push(
      'the 24-bit multipliers are wrong on this driver, so the 13-bit ones are used, at half their speed: try another version of it',
    );
  }
  return advice;
}
