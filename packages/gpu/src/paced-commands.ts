import { CuzkError } from '@cuzk/core/errors';
import { type Commands, openCommands } from './commands.ts';
import type { GpuContext } from './context.ts';

/** Field multiplications in one submit: some 70 ms on a large GPU, some 0.2 s on two cores. */
const HARDWARE_BUDGET = 2 ** 31;
const SOFTWARE_BUDGET = 2 ** 22;

/** Commands that are cut into submits of bounded length, so that cancel, watchdogs and other work get a turn. */
export interface PacedCommands {
  readonly commands: Commands;
  /** Adds `multiplications` of recorded work; submits and waits where the budget is reached. */
  spend(multiplications: number): Promise<void>;
  /** Submits what is left and waits for it. */
  finish(): Promise<void>;
}

/** Throws CANCELLED where the signal has fired. */
function throwIfCancelled(signal: AbortSignal | undefined): void {
  if (signal?.aborted) throw new CuzkError('CANCELLED', 'cancelled between two submits');
}

/** Paced commands of one phase. `spend` and `finish` throw CANCELLED once `signal` has fired. */
export function paceCommands(
  context: GpuContext,
  phase: string,
  signal?: AbortSignal,
  budget = context.traits.software ? SOFTWARE_BUDGET : HARDWARE_BUDGET,
): PacedCommands {
  const commands = openCommands(context);
  let recorded = 0;
  const submit = async (): Promise<void> => {
    recorded = 0;
    throwIfCancelled(signal);
    await commands.submit(phase);
    throwIfCancelled(signal);
  };
  return {
    commands,
    spend: async (multiplications) => {
      recorded += multiplications;
      if (recorded >= budget) await submit();
    },
    finish: submit,
  };
}
