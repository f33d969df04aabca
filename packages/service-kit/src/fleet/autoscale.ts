/** Work that one proof still brings to the workers of a role. */
export interface ProofBacklog {
  /** Unix ms at which the proof came in. */
  readonly createdAt: number;
  /** Units that have not ended, running ones included. */
  readonly units: number;
  /** What one unit of its circuit takes (95th percentile); null while nobody has measured it. */
  readonly secondsPerUnit: number | null;
}

export interface Demand {
  readonly backlog: readonly ProofBacklog[];
  /** Units that workers hold now. */
  readonly running: number;
  /** Units one worker runs at once. */
  readonly unitsPerWorker: number;
}

/** However late work is, workers are asked for as if this much time were left: a new one takes a while to start. */
const LEAST_WINDOW_SECONDS = 120;

/**
 * Workers that get every proof done within `horizonMs` of its arrival: the largest quotient of the work due by a
 * time and the time that is left until then. While work drains as planned the answer stays the same (work over a
 * fixed window would shrink with the work and never end), and it is never below what runs now. Work nobody has
 * measured yet asks for one worker: what the first unit takes says how many more.
 */
export function desiredWorkers(demand: Demand, nowMs: number, horizonMs: number): number {
  const { running, unitsPerWorker } = demand;
  const byArrival = [...demand.backlog].sort((a, b) => a.createdAt - b.createdAt);
  let workSeconds = 0;
  let workers = 0;
  for (const { createdAt, units, secondsPerUnit } of byArrival) {
    if (units === 0) continue;
    workers = Math.max(workers, 1);
    workSeconds += units * (secondsPerUnit ?? 0);
    const leftSeconds = Math.max(LEAST_WINDOW_SECONDS, (createdAt + horizonMs - nowMs) / 1000);
    workers = Math.max(workers, workSeconds / leftSeconds);
  }
  return Math.max(Math.ceil(workers / unitsPerWorker), Math.ceil(running / unitsPerWorker));
}

/** The value that `share` of the list does not exceed; null for an empty list. */
export function percentile(values: readonly number[], share: number): number | null {
  if (values.length === 0) return null;
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.ceil(share * sorted.length) - 1)] ?? null;
}
