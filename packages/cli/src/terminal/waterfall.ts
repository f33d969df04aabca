/** One bar of a waterfall. Times in seconds from a common start. */
export interface WaterfallSpan {
  readonly name: string;
  readonly startSeconds: number;
  readonly seconds: number;
}

const BAR_WIDTH = 40;

/**
 * Bars on one time axis, a line each, in the order given: name, seconds, bar. The axis ends where the last span
 * does. A span of any length shows at least one mark.
 */
export function waterfallLines(spans: readonly WaterfallSpan[]): string[] {
  const nameWidth = Math.max(0, ...spans.map((span) => span.name.length));
  const end = Math.max(...spans.map((span) => span.startSeconds + span.seconds), Number.MIN_VALUE);
  return spans.map((span) => {
    const from = Math.min(BAR_WIDTH - 1, Math.floor((span.startSeconds / end) * BAR_WIDTH));
    const width = Math.max(1, Math.round((span.seconds / end) * BAR_WIDTH));
    const bar = ' '.repeat(from) + '█'.repeat(Math.min(width, BAR_WIDTH - from));
    return `${span.name.padEnd(nameWidth)} ${span.seconds.toFixed(2).padStart(8)} s  ${bar}`;
  });
}
