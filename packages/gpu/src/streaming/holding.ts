import type { CircuitShape } from '@cuzk/core/r1cs/shape';
import type { CurveGroup } from '../curve/point-segments.ts';
import type { DeviceTraits } from '../device/context.ts';
import type { MemoryPlan } from '../prover/memory-plan.ts';

/** What proofs by streaming are planned for. */
export interface PlannedCircuit {
  readonly shape: CircuitShape;
  readonly traits: DeviceTraits;
  readonly memory: MemoryPlan;
}

/** What decides how much memory is taken. */
export interface Holding {
  /** Points that come to the device at once, powers of two. */
  readonly piecePoints: Readonly<Record<CurveGroup, number>>;
  /** Points of h that stay there, from the first on: all of them, or a multiple of a piece. */
  readonly residentPoints: number;
  /** Points of h in one buffer, a power of two. */
  readonly segmentPoints: number;
  /** Entries that an MSM sorts at once. */
  readonly msmEntries: number;
  /** Whether transforms have their large tables. */
  readonly largeTables: boolean;
  /** Partitions whose witnesses are held, and for which the queries pass once. */
  readonly waiting: number;
}
