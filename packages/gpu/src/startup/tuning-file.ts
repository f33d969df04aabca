import type { FieldVariants } from '../device/context.ts';
import { INTEGER_FORMS } from '../field/field-variants.ts';
import type { DeviceKey } from './device-store.ts';
import type { Tuning } from './tune-device.ts';

export const encodeTuning = (key: DeviceKey, tuning: Tuning): string =>
  `${JSON.stringify({ ...key, ...tuning }, null, 2)}\n`;

/**
 * A stored tuning, if it is one for this key and this device can use it: multipliers that its self-test allows. Throws
 * RangeError that says what is wrong.
 */
export function decodeTuning(text: string, key: DeviceKey, allowed: FieldVariants): Tuning {
  const found = parse(text);
  demand('adapter', found.adapter === key.adapter);
  demand('kernels', found.kernels === key.kernels);
  const { variants, msmRates, measured } = found as unknown as Tuning;
  for (const field of ['fp', 'fr'] as const) {
    const variant = variants?.[field];
    demand(`variants.${field}`, variant === allowed[field] || variant === INTEGER_FORMS[field]);
  }
  for (const name of ['addition', 'round', 'entry', 'bucket'] as const) {
    const seconds = msmRates?.[name];
    demand(`msmRates.${name}`, typeof seconds === 'number' && seconds > 0 && seconds < 1);
  }
  const tables = Array.isArray(measured?.multipliers) && measured.round !== undefined;
  const numbers = [measured?.seconds, measured?.fpMulPerSecond];
  demand('measured', tables && numbers.every((each) => typeof each === 'number'));
  return { variants, msmRates, measured };
}

function parse(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null) return value as Record<string, unknown>;
  } catch {
    // said below
  }
  throw new RangeError('it is not a JSON object');
}

function demand(name: string, holds: boolean): void {
  if (!holds) throw new RangeError(`${name} is not right for this device`);
}
