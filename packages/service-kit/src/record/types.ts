/**
 * The proof record (one Redis hash per proof) as the services see it. The state machines:
 *
 *   run        received → queued → running → finalizing → succeeded | failed | cancelled | expired
 *              (`cancelling` between a live state and cancelled | expired; `received` until ingest has judged the
 *              whole C1, though partitions that it found good are on their way by then)
 *   partition  pending → queued → synthesizing → synthesized → proving → proved | failed | cancelled
 *              (finalize alone moves proved → pending, with a reason)
 */
import type { ErrorCode } from '@cuzk/core/errors';
import type { Priority } from './priority.ts';

export const STAGES = ['ingest', 'synthesize', 'prove', 'finalize'] as const;
export type Stage = (typeof STAGES)[number];

export const LIVE_STATES = ['received', 'queued', 'running', 'finalizing', 'cancelling'] as const;
export const ENDED_STATES = ['succeeded', 'failed', 'cancelled', 'expired'] as const;
export type RunState = (typeof LIVE_STATES)[number] | (typeof ENDED_STATES)[number];

export type PartitionState =
  | 'pending'
  | 'queued'
  | 'synthesizing'
  | 'synthesized'
  | 'proving'
  | 'proved'
  | 'failed'
  | 'cancelled';

/** Which setup made the proving key. Development keys are public and worthless as security. */
export type ParameterKind = 'production' | 'insecure-development';

/** What made the partition proofs of a record; `simulated`: nothing did, and there is no result. */
export type ProofSource = ParameterKind | 'simulated';

/** Bytes in the artifact store. `ref` names them, `sha256` (lowercase hex) is checked on every read. */
export interface ArtifactRef {
  readonly ref: string;
  readonly bytes: number;
  readonly sha256: string;
}

/** One piece of work of one stage. `partition` is null for ingest and finalize. */
export interface StageUnit {
  readonly proofId: string;
  readonly run: number;
  readonly stage: Stage;
  readonly partition: number | null;
  /** The attempt that a claim of this unit will start, from 1. */
  readonly attempt: number;
}

/** What a claim hands out and every later change must show: a late twin's fence no longer fits. */
export interface Fence extends StageUnit {
  readonly owner: string;
}

/** What a reader needs to act on a failure; the members of the API's problem object. */
export interface Problem {
  readonly code: ErrorCode;
  readonly message: string;
  readonly pointer?: string;
  readonly expected?: string;
  readonly found?: string;
  readonly action?: string;
}

/** One timed phase of a partition. `name` is a span name, `clock` says what measured it. */
export interface PhaseTiming {
  readonly name: string;
  /** Unix time of the start, ms. */
  readonly startMs: number;
  readonly durationMs: number;
  readonly clock: 'gpu' | 'wall';
  /** The phase this one is part of, by name; none = the stage. */
  readonly parent?: string;
}

/** A unit that is ready now; the caller adds its job (the reconciler does, should the caller die). */
export interface NextUnit extends StageUnit {
  /** BullMQ priority, from 1; lower goes first. */
  readonly jobPriority: number;
}

/** Answer of every fenced change. */
export interface Change {
  /** False: the fence no longer fits (or the run has ended) and nothing was changed. */
  readonly accepted: boolean;
  /** Why not, in one word: gone, stale, ended, cancelled. */
  readonly reason: string | null;
  readonly next: readonly NextUnit[];
}

export interface PartitionRecord {
  readonly index: number;
  readonly state: PartitionState;
  readonly input: ArtifactRef | null;
  readonly witness: ArtifactRef | null;
  /** 192 bytes as lowercase hex, once proved. */
  readonly proofHex: string | null;
  /** Worker that holds it now, else null. */
  readonly owner: string | null;
  /** Worker that made the proof. */
  readonly prover: string | null;
  readonly attempts: { readonly synthesize: number; readonly prove: number };
  readonly failures: { readonly synthesize: number; readonly prove: number };
  /** Times an owner fell silent. */
  readonly losses: number;
  readonly phases: readonly PhaseTiming[];
  /** Last failure, also when a later attempt succeeded. */
  readonly problem: Problem | null;
  /** Unix ms at which each state was last entered. */
  readonly enteredAt: Readonly<Partial<Record<PartitionState, number>>>;
}

export interface ProofRecord {
  readonly proofId: string;
  readonly kind: 'porep';
  readonly state: RunState;
  readonly run: number;
  /** Order of arrival over the whole fleet. */
  readonly sequence: number;
  readonly priority: Priority;
  readonly deadlineAt: number | null;
  readonly tenant: string;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly endedAt: number | null;
  /** Actor id of the miner, decimal. */
  readonly minerId: string;
  /** Decimal. */
  readonly sectorNumber: string;
  readonly contentKey: string;
  readonly c1: ArtifactRef;
  readonly traceparent: string | null;
  readonly circuitId: string | null;
  readonly sectorBytes: number | null;
  readonly publicInputs: ArtifactRef | null;
  readonly parameters: ProofSource | null;
  readonly result: ArtifactRef | null;
  readonly problem: Problem | null;
  readonly partitions: readonly PartitionRecord[];
  readonly attempts: { readonly ingest: number; readonly finalize: number };
  readonly enteredAt: Readonly<Partial<Record<RunState, number>>>;
}

/** Facts of the claimed unit's proof that every stage gets. */
interface ClaimedProof {
  readonly fence: Fence;
  /** True: another unit than the one that was asked for. */
  readonly instead: boolean;
  readonly jobPriority: number;
  readonly minerId: string;
  readonly sectorNumber: string;
  readonly deadlineAt: number | null;
  /** W3C trace context of the request, or null. */
  readonly traceparent: string | null;
  /** How long the unit waited for a worker. */
  readonly waitedMs: number;
  /** Failures so far of this stage of this unit. */
  readonly failures: number;
}

export interface IngestClaim extends ClaimedProof {
  readonly stage: 'ingest';
  readonly c1: ArtifactRef;
}

export interface SynthesizeClaim extends ClaimedProof {
  readonly stage: 'synthesize';
  readonly circuitId: string;
  readonly sectorBytes: number;
  readonly input: ArtifactRef;
  /** What the input was made from, should it be damaged. */
  readonly c1: ArtifactRef;
}

export interface ProveClaim extends ClaimedProof {
  readonly stage: 'prove';
  readonly circuitId: string;
  readonly sectorBytes: number;
  /** `CZWT` bytes; public inputs are inside. */
  readonly witness: ArtifactRef;
}

export interface ProvedPartition {
  readonly partition: number;
  readonly proof: Uint8Array;
  readonly prover: string;
}

export interface FinalizeClaim extends ClaimedProof {
  readonly stage: 'finalize';
  readonly circuitId: string;
  readonly sectorBytes: number;
  /** Per partition its inputs without ONE, canonical LE, 32 bytes each, all concatenated in partition order. */
  readonly publicInputs: ArtifactRef;
  /** What the public inputs were made from, should they be damaged. */
  readonly c1: ArtifactRef;
  readonly parameters: ProofSource;
  readonly partitions: readonly ProvedPartition[];
}

export type Claim = IngestClaim | SynthesizeClaim | ProveClaim | FinalizeClaim;
export type ClaimOf<S extends Stage> = Extract<Claim, { stage: S }>;

/** Why a unit was not handed out. Those with `later` are worth asking again, the others are history. */
export interface Refusal {
  readonly refused:
    | 'gone'
    | 'stale'
    | 'ended'
    | 'cancelled'
    | 'busy'
    | 'circuit'
    | 'excluded'
    | 'slower'
    | 'suspect'
    | 'reserved';
  readonly later: boolean;
}
