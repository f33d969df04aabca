import type { CircuitFacts } from '@cuzk/service-kit/record/changes';

/** Reads and checks a C1 file. Each partition is sent ahead as a part, in order, as soon as it was checked. */
export interface CheckC1Task {
  readonly task: 'check-c1';
  readonly c1Path: string;
  /** Actor id, decimal. */
  readonly minerId: string;
  readonly sectorNumber: string;
}

/** Makes the witness of one partition from a CZPI file. */
export interface SynthesizeTask {
  readonly task: 'synthesize';
  readonly inputPath: string;
  /** Written into the witness, for people and for fencing. */
  readonly run: string;
}

export type SynthTask = CheckC1Task | SynthesizeTask;

export interface C1Facts extends CircuitFacts {
  readonly partitions: number;
}

/** One checked partition: its CZPI bytes and its public inputs (32 bytes each, without ONE). */
export interface CheckedPartition {
  readonly facts: C1Facts;
  readonly partition: number;
  readonly czpi: Uint8Array;
  readonly publicInputs: Uint8Array;
}

export interface CheckedC1Answer {
  readonly task: 'check-c1';
  readonly facts: C1Facts;
}

export interface SynthesizedAnswer {
  readonly task: 'synthesize';
  /** The CZWT file as consecutive chunks. */
  readonly chunks: readonly Uint8Array[];
  readonly fillMs: number;
  readonly encodeMs: number;
}

export type SynthAnswer = CheckedC1Answer | SynthesizedAnswer;
