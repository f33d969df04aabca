import type { PacedCommands } from '../device/paced-commands.ts';
import type { FrVector } from '../field/fr-vector.ts';
import type { Direction } from './ntt-plan.ts';
import type { PowerTable } from './ntt-tables.ts';

/** The levels of a transform that stay within the blocks of one segment. */
export interface BlockLevels {
  /** Natural to bit-reversed order within each block. */
  dif(paced: PacedCommands, vector: FrVector, direction: Direction): Promise<void>;
  /** Back; coefficients are multiplied by `factors` on the way in where that is given. */
  dit(
    paced: PacedCommands,
    vector: FrVector,
    direction: Direction,
    factors: PowerTable | undefined,
  ): Promise<void>;
  close(): void;
}
