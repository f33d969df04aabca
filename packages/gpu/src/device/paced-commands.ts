import { CuzkError } from '@cuzk/core/errors';
import { type Commands, openCommands } from './commands.ts';
import type { GpuContext } from './context.ts';
import { oneForEach } from './one-for-each.ts';

/** Field multiplications in one submit: some 35 ms on a large GPU, some 0.2 s on two cores. */
const HARDWARE_BUDGET = 2 ** 30;
const SOFTWARE_BUDGET = 2 ** 22;
/** Submits of one device that are not done yet: enough to keep it busy, few enough for a quick cancel. */
const HARDWARE_IN_FLIGHT = 3;

/** Commands that are cut into submits of bounded length, so that cancel, watchdogs and other work get a turn. */
export interface PacedCommands {
  readonly commands: Commands;
  /** Adds `multiplications` of recorded work and submits where the budget is reached. */
  spend(multiplications: number): Promise<void>;
  /** Submits what is recorded. Waits only while the device has enough to do; a software adapter is done first. */
  send(): Promise<void>;
  /** Submits what is left and waits for all of it. */
  finish(): Promise<void>;
}

/** Submits of a device that are not done, whoever made them. */
const inFlightOf = oneForEach((_: GPUDevice) => new Set<Promise<void>>());

/** Throws CANCELLED where the signal has fired. */
function throwIfCancelled(signal: AbortSignal | undefined): void {
  if (signal?.aborted) throw new CuzkError('CANCELLED', 'cancelled between two submits');
}

/** Paced commands of one phase. `spend`, `send` and `finish` throw CANCELLED once `signal` has fired. */
export function paceCommands(
  context: GpuContext,
  phase: string,
  signal?: AbortSignal,
  budget = context.traits.software ? SOFTWARE_BUDGET : HARDWARE_BUDGET,
): PacedCommands {
  const commands = openCommands(context);
  const submits = inFlightOf(context.device);
  const most = context.traits.software ? 1 : HARDWARE_IN_FLIGHT;
  const own = new Set<Promise<void>>();
  let failure: { readonly cause: unknown } | undefined;
  let recorded = 0;

  const check = (): void => {
    throwIfCancelled(signal);
    if (failure !== undefined) throw failure.cause;
  };
  const send = async (): Promise<void> => {
    check();
    while (submits.size >= most) await Promise.race(submits);
    check();
    recorded = 0;
    const done = commands.submit(phase).then(
      () => forget(),
      (cause: unknown) => {
        failure ??= { cause };
        forget();
      },
    );
    const forget = (): void => {
      own.delete(done);
      submits.delete(done);
    };
    own.add(done);
    submits.add(done);
    if (context.traits.software) {
      await done;
      check();
    }
  };
  return {
    commands,
    spend: async (multiplications) => {
      recorded += multiplications;
      if (recorded >= budget) await send();
    },
    send,
    finish: async () => {
      await send();
      await Promise.all(own);
      check();
    },
  };
}
