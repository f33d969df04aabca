import type { Output } from './output.ts';

const WIDTH = 30;
/** At most this often, so that a log stays readable. */
const INTERVAL_MS = 2000;

/** Prints how far a long step is, as lines of progress: a bar, per cent, seconds so far and seconds to go. */
export function progressBar(output: Output, what: string): (done: number, total: number) => void {
  const startedAt = performance.now();
  let printedAt = Number.NEGATIVE_INFINITY;
  return (done, total) => {
    const now = performance.now();
    if (done < total && now - printedAt < INTERVAL_MS) return;
    printedAt = now;
    const seconds = (now - startedAt) / 1000;
    output.progress(`${what} ${barText(done / total)} ${timeText(done / total, seconds)}`);
  };
}

/** `[######----]  60 %` */
export function barText(fraction: number): string {
  const filled = Math.round(Math.min(1, Math.max(0, fraction)) * WIDTH);
  const percent = `${Math.floor(100 * fraction)}`.padStart(3);
  return `[${'#'.repeat(filled)}${'-'.repeat(WIDTH - filled)}] ${percent} %`;
}

function timeText(fraction: number, seconds: number): string {
  if (fraction >= 1) return `${seconds.toFixed(0)} s`;
  const left =
    fraction > 0.02 ? `, ${((seconds / fraction) * (1 - fraction)).toFixed(0)} s to go` : '';
  return `${seconds.toFixed(0)} s${left}`;
}
