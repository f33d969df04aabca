/**
 * Seconds per phase. With timestamp queries the figure is device time; without them it is the wall time around
 * the submit, and `source` says so.
 */
export interface PhaseTimer {
  begin(phase: string, encoder: GPUCommandEncoder): PhaseMark;
  /** Totals since the last call, in order of first appearance. Resolves timestamps first. */
  collect(): Promise<readonly PhaseSeconds[]>;
}

interface PhaseMark {
  encodeEnd(encoder: GPUCommandEncoder): void;
  done(): void;
}

export interface PhaseSeconds {
  readonly phase: string;
  readonly seconds: number;
  readonly submits: number;
  readonly source: 'timestamps' | 'wall';
}

/** Wall-clock timer: every adapter has it. `now` returns milliseconds. */
export function createWallTimer(now: () => number): PhaseTimer {
  let totals = new Map<string, { seconds: number; submits: number }>();
  return {
    begin(phase) {
      const start = now();
      return {
        encodeEnd: () => {},
        done: () => {
          const total = totals.get(phase) ?? { seconds: 0, submits: 0 };
          total.seconds += (now() - start) / 1000;
          total.submits += 1;
          totals.set(phase, total);
        },
      };
    },
    async collect() {
      const list = [...totals].map(([phase, total]) => ({
        phase,
        ...total,
        source: 'wall' as const,
      }));
      totals = new Map();
      return list;
    },
  };
}
