export interface Throttled {
  /** Runs the step now, or once more after the one that runs, at the earliest the interval after its start. */
  ask(): void;
  /** Runs nothing more. */
  stop(): void;
}

/** A step that runs one at a time and at most once in `intervalMs`, and after the last time it was asked for. */
export function throttled(intervalMs: number, step: () => Promise<void>): Throttled {
  let startedAt = Number.NEGATIVE_INFINITY;
  let running = false;
  let wanted = false;
  let timer: NodeJS.Timeout | undefined;
  const run = async (): Promise<void> => {
    timer = undefined;
    running = true;
    wanted = false;
    startedAt = performance.now();
    try {
      await step();
    } finally {
      running = false;
      if (wanted) begin();
    }
  };
  const begin = (): void => {
    if (timer !== undefined) return;
    const waitMs = startedAt + intervalMs - performance.now();
    if (waitMs <= 0) void run();
    else timer = setTimeout(() => void run(), waitMs);
  };
  return {
    ask: () => {
      wanted = true;
      if (!running) begin();
    },
    stop: () => {
      wanted = false;
      clearTimeout(timer);
    },
  };
}
