import type { Span } from '@opentelemetry/api';
import type { Logger } from '../logger.ts';
import type { Change, ClaimOf, Stage, StageUnit } from '../record/types.ts';

export interface StageContext {
  /** Fires when the run was cancelled or has ended elsewhere, or when this process drains. Stop soon and throw. */
  readonly signal: AbortSignal;
  /** Carries proof, partition, attempt and trace ids. */
  readonly logger: Logger;
  readonly span: Span;
}

/** Leave to work on a unit (a memory permit): held around the claim and the work. */
export interface Admission {
  release(): Promise<void>;
}

export interface StageWorkerOptions<S extends Stage> {
  readonly stage: S;
  /** Units worked on at once. */
  readonly concurrency: number;
  /**
   * With it one unit more is taken while `concurrency` are worked on, so that the device has the next one when it is
   * done: ms until a further unit can begin, or null for not yet.
   */
  readonly beginsInMs?: () => number | null;
  /** Failures of a unit at which its run fails. */
  readonly maxFailures: number;
  /** Circuits this worker can prove now (prove stage); other units are left to others. */
  readonly circuits?: () => readonly string[];
  /** Asked before the claim; null = not now, the job is looked at again in 500 ms. */
  readonly admit?: (unit: StageUnit) => Promise<Admission | null>;
  /**
   * Does the work and submits it with `claim.fence`; returns the answer of that submission. Throws a
   * CuzkError for a failure with a name; anything else counts as unexpected and is retried.
   */
  readonly handle: (claim: ClaimOf<S>, context: StageContext) => Promise<Change>;
  /**
   * Tests the device of this worker, which the record suspects: true when it is sound. Asked after a suspicious
   * failure, and when a unit was refused because of one before; no unit is taken until it has said true.
   */
  readonly selfTest?: () => Promise<boolean>;
}
