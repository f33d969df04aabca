import type { DeviceTraits, FieldVariants } from '../device/context.ts';
import { INTEGER_FORMS } from '../field/field-variants.ts';
import type { Tuning } from './tune-device.ts';

/** What a tuning holds for: another adapter, driver or kernel may want another. */
export interface TuningKey {
  /** Adapter and driver as WebGPU describes them. */
  readonly adapter: string;
  /** SHA-256 over all kernels, hex. */
  readonly kernels: string;
}

/** Where tunings are kept between processes. */
export interface TuningStore {
  /** The text written last for this key; null where there is none. */
  read(key: TuningKey): Promise<string | null>;
  write(key: TuningKey, text: string): Promise<void>;
  /** One sentence about a stored text that could not be used. */
  warn(message: string): void;
}

export const encodeTuning = (key: TuningKey, tuning: Tuning): string =>
  `${JSON.stringify({ ...key, ...tuning }, null, 2)}\n`;

/**
 * A stored tuning, if it is one for this key and this device can use it: multipliers that its self-test allows and a
 * workgroup within its limits. Throws RangeError that says what is wrong.
 */
export function decodeTuning(
  text: string,
  key: TuningKey,
  allowed: FieldVariants,
  traits: DeviceTraits,
): Tuning {
  const found = parse(text);
  demand('adapter', found.adapter === key.adapter);
  demand('kernels', found.kernels === key.kernels);
  const { variants, round, msmRates, measured } = found as unknown as Tuning;
  for (const field of ['fp', 'fr'] as const) {
    const variant = variants?.[field];
    demand(`variants.${field}`, variant === allowed[field] || variant === INTEGER_FORMS[field]);
  }
  if (round !== null) {
    const size = round?.workgroupSize;
    demand('round.workgroupSize', isCount(size) && size <= traits.workgroupInvocations);
    demand('round.pairsPerThread', isCount(round.pairsPerThread));
  }
  for (const name of ['addition', 'round', 'entry', 'bucket'] as const) {
    const seconds = msmRates?.[name];
    demand(`msmRates.${name}`, typeof seconds === 'number' && seconds > 0 && seconds < 1);
  }
  const tables = Array.isArray(measured?.multipliers) && Array.isArray(measured.rounds);
  demand('measured', tables && typeof measured.seconds === 'number');
  return { variants, round, msmRates, measured };
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

const LARGEST_COUNT = 1024;
const isCount = (value: unknown): value is number =>
  Number.isInteger(value) && (value as number) >= 1 && (value as number) <= LARGEST_COUNT;
