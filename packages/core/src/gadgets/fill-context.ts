import type { WitnessSink } from '../r1cs/witness-sink.ts';
import type { PoseidonKernel } from './fill-poseidon.ts';

/** What the fills of a circuit share. */
export interface FillContext {
  readonly sink: WitnessSink;
  readonly poseidon: PoseidonKernel;
  /** Called after at most a few milliseconds of work; may throw to abandon the synthesis. */
  readonly checkpoint: () => void;
}
