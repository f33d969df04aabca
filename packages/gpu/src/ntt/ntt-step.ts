import type { PacedCommands } from '../device/paced-commands.ts';
import type { FrVector } from '../field/fr-vector.ts';
import type { Direction } from './ntt-plan.ts';

/** What a step of a transform does to its vector, and in which form it meets and leaves it. */
export interface StepUse {
  /** Decimation in time (bit-reversed to natural) instead of in frequency. */
  readonly dit: boolean;
  readonly direction: Direction;
  readonly coset: boolean;
  /** The first step: elements are read as common words. */
  readonly enter: boolean;
  /** The last step: elements are written as canonical words. */
  readonly leave: boolean;
}

/** Some levels of a transform, one pass over the vector. */
export interface NttStep {
  /** Compiles the kernels and fills the tables of a use, so that its first run does not wait for them. */
  prepare(paced: PacedCommands, use: StepUse): Promise<void>;
  record(paced: PacedCommands, vector: FrVector, use: StepUse): Promise<void>;
}

/** Steps of a transform, outermost first, with the tables they share. */
export interface NttSteps {
  readonly steps: readonly NttStep[];
  close(): void;
}

/** The switches of a use that every kernel of the transforms knows, but for DIT where it is a file of its own. */
export const stepSwitches = ({ direction, coset, enter, leave }: StepUse) => ({
  INVERSE: direction === 'inverse',
  COSET: coset,
  ENTER: enter,
  LEAVE: leave,
});
