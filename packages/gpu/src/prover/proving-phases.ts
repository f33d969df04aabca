import type { GpuContext } from '../device/context.ts';
import type { PhaseSeconds } from '../device/timing.ts';

/** One timed phase of a proof. Names are span names; `parent` is the phase it is part of. */
export interface ProvingPhase {
  readonly name: string;
  /** Unix time of the start, ms. */
  readonly startMs: number;
  readonly durationMs: number;
  /** `gpu`: device time by timestamps. `wall`: from before the first submit to after the last. */
  readonly clock: 'gpu' | 'wall';
  readonly parent?: string;
}

/** Phases of one proof, in order of their start. */
export interface PhaseRecorder {
  /** Runs `work` as a phase. Device time is summed over the submit labels in `labels`. */
  run<T>(
    name: string,
    labels: readonly string[],
    work: () => Promise<T>,
    parent?: string,
  ): Promise<T>;
  /**
   * Ends the recording: device times are filled in where the adapter has timestamps, from `totals` where several
   * recordings end together, or from what the timer has.
   */
  finish(totals?: readonly PhaseSeconds[]): Promise<readonly ProvingPhase[]>;
}

/** `nowMs` is Unix time in ms. */
export function recordPhases(context: GpuContext, nowMs: () => number): PhaseRecorder {
  const phases: (ProvingPhase & { readonly labels: readonly string[] })[] = [];
  return {
    async run(name, labels, work, parent) {
      const startMs = nowMs();
      const at = phases.length;
      const open = { name, labels, startMs, durationMs: 0, clock: 'wall' as const };
      phases.push(parent === undefined ? open : { ...open, parent });
      const result = await work();
      phases[at] = { ...phases[at], durationMs: nowMs() - startMs };
      return result;
    },
    async finish(collected) {
      const totals = collected ?? (await context.timer.collect());
      return phases.map(({ labels, ...phase }) => {
        const timed = totals.filter((total) => labels.includes(total.phase));
        if (timed.length === 0 || timed.some((total) => total.source !== 'timestamps'))
          return phase;
        const seconds = timed.reduce((sum, total) => sum + total.seconds, 0);
        return { ...phase, durationMs: 1000 * seconds, clock: 'gpu' as const };
      });
    },
  };
}
