/** One line of `cuzk bench kernels`. */
export interface KernelResult {
  readonly name: string;
  /** Median seconds of one call by the clock of the device; null where it has none. */
  readonly deviceSeconds: number | null;
  /** Median seconds of one call by the clock on the wall; null where only a rate was measured. */
  readonly wallSeconds: number | null;
  readonly repeats: number;
  /** Rates and shares, each with its unit in its name. */
  readonly figures: Readonly<Record<string, number>>;
  /** What the result was compared with, and whether it was equal. */
  readonly checked: string;
  readonly passed: boolean;
}

/** What an adapter could do at best; shares are of these. */
export interface Ceilings {
  /** Multiplications a second, all cores of a software adapter together. */
  readonly fpPerSecond: number;
  readonly frPerSecond: number;
  /** Bytes read and bytes written a second by a copy on the device. */
  readonly copyBytesPerSecond: number;
}

/** Four digits are more than any of these figures is good for. */
export const fourDigits = (value: number): number => Number(value.toPrecision(4));

const milliseconds = (seconds: number | null): string =>
  seconds === null ? '–' : `${(1000 * seconds).toFixed(seconds < 0.1 ? 3 : 1)} ms`;

/** A result as one line for people. */
export function resultLine(result: KernelResult): string {
  const figures = Object.entries(result.figures).map(([name, value]) => `${name} ${value}`);
  return [
    result.passed ? 'ok   ' : 'WRONG',
    result.name.padEnd(44),
    milliseconds(result.deviceSeconds).padStart(12),
    milliseconds(result.wallSeconds).padStart(12),
    ` ${figures.join(', ')}`,
  ].join(' ');
}
