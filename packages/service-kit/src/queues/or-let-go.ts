import { DrainSignal } from './stop-reasons.ts';

/** Work told to drain gets this long to stop by itself; then it is handed back under its feet (its fence goes). */
const DRAIN_GRACE_MS = 500;
/** Cancelled work gets this long to stop before its unit is let go anyway: a cancel takes at most two seconds. */
const STOP_GRACE_MS = 1_500;

/** The answer of `work`, or the abort reason of `signal` when it does not stop within the grace of that reason. */
export async function orLetGo<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  let arm = () => {};
  const letGo = new Promise<never>((_, reject) => {
    arm = () => {
      const graceMs = signal.reason instanceof DrainSignal ? DRAIN_GRACE_MS : STOP_GRACE_MS;
      timer = setTimeout(() => reject(signal.reason), graceMs);
    };
  });
  if (signal.aborted) arm();
  else signal.addEventListener('abort', arm, { once: true });
  try {
    // Once it has been let go, its late failure has no reader.
    return await Promise.race([work(), letGo]);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', arm);
  }
}
