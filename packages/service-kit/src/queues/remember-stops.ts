/** Far more than come between a claim and its answer. */
const STOPS_KEPT = 1_000;

/** The proofs and jobs that were told to stop last. */
export interface StopMemory {
  add(name: string): void;
  /** Whether `name` was told to stop after `sinceMs` of performance.now(). */
  since(name: string, sinceMs: number): boolean;
}

/** Remembers the last STOPS_KEPT words to stop, the latest one of each name. */
export function rememberStops(): StopMemory {
  const toldAt = new Map<string, number>();
  return {
    add: (name) => {
      toldAt.delete(name);
      toldAt.set(name, performance.now());
      const [oldest] = toldAt.keys();
      if (toldAt.size > STOPS_KEPT && oldest !== undefined) toldAt.delete(oldest);
    },
    since: (name, sinceMs) => (toldAt.get(name) ?? 0) > sinceMs,
  };
}
