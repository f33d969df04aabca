import type { ErrorCode, ErrorFacts } from '@cuzk/core/errors';
import type { GpuMode } from '@cuzk/gpu/device/device';
import type { ProvingPhase } from '@cuzk/gpu/prover/prover';
import type { CompiledAhead } from '@cuzk/gpu/startup/compile-ahead';
import type { StreamPlan } from '@cuzk/gpu/streaming/stream-plan';
import type { ArtifactRef } from '@cuzk/service-kit/record/types';

/** What the supervisor asks of the process that owns the device. Bytes travel as file names. */
export type ChildRequest =
  | {
      readonly kind: 'open';
      readonly gpu: GpuMode;
      readonly checkWitness: boolean;
      readonly cacheDir: string;
    }
  | {
      readonly kind: 'load';
      readonly sectorBytes: number;
      readonly cacheDir: string;
      readonly source: SrsOrigin;
      /** GPU_MEMORY_LIMIT. */
      readonly memoryLimit: string;
    }
  /** A second one may follow before the first is answered: its witness is put on the device meanwhile. */
  | { readonly kind: 'prove'; readonly sectorBytes: number; readonly witness: WitnessFile }
  /** Frees what a circuit holds. */
  | { readonly kind: 'evict'; readonly sectorBytes: number }
  | { readonly kind: 'circuits' }
  /** Answered when the pipelines that an earlier process kept are compiled, beside whatever else is done. */
  | { readonly kind: 'pipelines' }
  | { readonly kind: 'self-test' }
  | { readonly kind: 'cancel'; readonly request: number };

/** A local file that should hold the bytes of an artifact; whoever reads it compares them with its digest. */
export interface WitnessFile {
  readonly path: string;
  readonly artifact: ArtifactRef;
}

/**
 * Where an SRS comes from: a parameter file, or the public waste of the development parameters (then its key is written
 * to `vkPath`).
 */
export type SrsOrigin =
  | {
      readonly kind: 'file';
      readonly paramsPath: string;
      /** The points of this very file were tested before. */
      readonly subgroupChecked: boolean;
    }
  | { readonly kind: 'generate'; readonly vkPath: string };

/** One answer per request but `cancel`, and news in between. `request` is the number the request came with. */
export type ChildReply =
  | { readonly kind: 'opened'; readonly request: number; readonly adapter: AdapterFacts }
  | {
      readonly kind: 'loaded';
      readonly request: number;
      readonly circuitId: string;
      readonly seconds: number;
      /** Spent on a proof of a made-up witness, which compiles all pipelines; null where none was made. */
      readonly warmUpSeconds: number | null;
      /** Sector sizes whose circuits made room. */
      readonly evicted: readonly number[];
      /** null: its SRS is on the device as a whole. */
      readonly plan: StreamPlan | null;
    }
  | { readonly kind: 'evicted'; readonly request: number; readonly wasLoaded: boolean }
  | {
      readonly kind: 'circuits';
      readonly request: number;
      readonly circuits: readonly CircuitState[];
    }
  | { readonly kind: 'pipelines'; readonly request: number; readonly pipelines: PipelineFacts }
  | { readonly kind: 'proved'; readonly request: number; readonly proof: ProvedWitness }
  | { readonly kind: 'tested'; readonly request: number }
  | { readonly kind: 'failed'; readonly request: number; readonly problem: ChildProblem }
  /** The device moved on: a submit ended, bytes were loaded. Feeds the watchdog. */
  | {
      readonly kind: 'progress';
      readonly request: number;
      readonly what: string;
      readonly fraction: number;
    }
  /** The witness is on the device; its file is no longer needed. */
  | { readonly kind: 'uploaded'; readonly request: number }
  /** The device works on this witness from now on. */
  | { readonly kind: 'begun'; readonly request: number }
  /** What the device holds and has done so far; `request` is the one under way. */
  | { readonly kind: 'usage'; readonly request: number; readonly usage: DeviceUsage };

/** A circuit on the device. */
export interface CircuitState {
  readonly sectorBytes: number;
  readonly kind: 'resident' | 'streamed';
  /** Bytes that stay between proofs, and most that a proof takes with them. */
  readonly residentBytes: number;
  readonly provingBytes: number;
  /** Proofs under way or waiting for their turn. */
  readonly users: number;
  readonly idleSeconds: number;
  readonly plan: StreamPlan | null;
}

export interface DeviceUsage {
  /** Command buffers that the device has finished since its process began. */
  readonly submits: number;
  /** Bytes on the device by buffer class; `idle` is kept for reuse. */
  readonly deviceBytes: Readonly<Record<string, number>>;
}

export interface AdapterFacts {
  readonly description: string;
  readonly software: boolean;
  /** Multipliers and layout that are the fastest on it, in one line. */
  readonly tuning: string;
  /** Measured Fp multiplications a second, in millions; per core on a software adapter. */
  readonly fpMulPerSecond: number;
  /** From the start of the process to an open, tested device. */
  readonly openSeconds: number;
  /** What a software adapter's driver had not kept; null where nothing had to be compiled. */
  readonly compiledAhead: CompiledAhead | null;
}

export interface PipelineFacts {
  /** Pipelines that an earlier process kept. */
  readonly count: number;
  /** From the start of the process until they were compiled. */
  readonly readySeconds: number;
}

export interface ProvedWitness {
  /** 192 bytes. */
  readonly proof: Uint8Array;
  /** Inputs without ONE, canonical LE, 32 bytes each. */
  readonly publicInputs: Uint8Array;
  readonly phases: readonly ProvingPhase[];
}

export interface ChildProblem {
  readonly code: ErrorCode | null;
  readonly message: string;
  readonly facts: ErrorFacts;
}

export type Envelope = { readonly request: number; readonly body: ChildRequest };
