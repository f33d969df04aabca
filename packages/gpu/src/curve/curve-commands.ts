import type { Commands } from '../device/commands.ts';
import type { GpuContext } from '../device/context.ts';
import { paceCommands } from '../device/paced-commands.ts';
import type { PairForm } from './pair-tree-kernels.ts';

/** What every long operation on points takes. */
export interface CurveRun {
  /** Names the time of its submits (timing.ts). */
  readonly phase: string;
  /** Checked between submits; an abort surfaces as CuzkError CANCELLED. */
  readonly signal?: AbortSignal;
  /** Most multiplications in Fr of one submit; by default what suits the device. */
  readonly budget?: number;
  /** Layout of the rounds of additions; by default the one for this kind of adapter. */
  readonly form?: PairForm;
}

/** Paced commands that count in additions of points. */
export interface PacedCommands extends Pick<Commands, 'dispatch' | 'copy' | 'clear'> {
  /** Accounts for point additions just recorded; submits once they fill a submit. */
  spend(additions: number): Promise<void>;
  /** Submits what is recorded, without waiting for the device to do it. */
  send(): Promise<void>;
  /** Submits what is recorded and waits for all of it. */
  flush(): Promise<void>;
}

/** An addition takes about as long as this many multiplications in Fr. */
const MULTIPLICATIONS = 16;

export function openPacedCommands(context: GpuContext, run: CurveRun): PacedCommands {
  const { commands, spend, send, finish } = paceCommands(
    context,
    run.phase,
    run.signal,
    run.budget,
  );
  return {
    dispatch: commands.dispatch,
    copy: commands.copy,
    clear: commands.clear,
    spend: (additions) => spend(additions * MULTIPLICATIONS),
    send,
    flush: finish,
  };
}
