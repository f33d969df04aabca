import { CuzkError } from '@cuzk/core/errors';
import { type Commands, openCommands } from './commands.ts';
import type { GpuContext } from './context.ts';

/** What every long operation on points takes. */
export interface CurveRun {
  /** Names the time of its submits (timing.ts). */
  readonly phase: string;
  /** Checked between submits; an abort surfaces as CuzkError CANCELLED. */
  readonly signal?: AbortSignal;
}

/** Commands that submit themselves before one submit gets too long to be interrupted. */
export interface PacedCommands extends Pick<Commands, 'dispatch' | 'copy' | 'clear'> {
  /** Accounts for point additions just recorded; submits and waits once they fill a submit. */
  spend(additions: number): Promise<void>;
  /** Submits what is recorded and waits for it. */
  flush(): Promise<void>;
}

/** Point additions per submit: ≈ 0.2 s on two cores, ≈ 50 ms on a large GPU (a tenth of that speed still suits). */
const SOFTWARE_ADDITIONS = 2 ** 18;
const HARDWARE_ADDITIONS = 2 ** 26;

/** Throws CuzkError CANCELLED once the signal is aborted. */
export function throwIfCancelled({ phase, signal }: CurveRun): void {
  if (signal?.aborted === true) throw new CuzkError('CANCELLED', `${phase} was cancelled`);
}

export function openPacedCommands(context: GpuContext, run: CurveRun): PacedCommands {
  const commands = openCommands(context);
  const budget = context.traits.software ? SOFTWARE_ADDITIONS : HARDWARE_ADDITIONS;
  let spent = 0;
  let recorded = false;
  const flush = async (): Promise<void> => {
    throwIfCancelled(run);
    if (!recorded) return;
    recorded = false;
    spent = 0;
    await commands.submit(run.phase);
    throwIfCancelled(run);
  };
  return {
    dispatch: (...args) => {
      recorded = true;
      commands.dispatch(...args);
    },
    copy: (...args) => {
      recorded = true;
      commands.copy(...args);
    },
    clear: (...args) => {
      recorded = true;
      commands.clear(...args);
    },
    spend: async (additions) => {
      spent += additions;
      if (spent >= budget) await flush();
    },
    flush,
  };
}
