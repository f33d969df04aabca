import type { PartitionView, ProofView } from '../proof-client.ts';

/** Where the time of one partition went, by the record. */
export interface PartitionTimes {
  readonly index: number;
  readonly worker: string | null;
  /** Waits and stages: how long the partition was between two of its states; null where one was never entered. */
  readonly stageSeconds: Readonly<Record<StageName, number | null>>;
  /** What was measured inside the stages, by span name without `cuzk.`. */
  readonly phaseSeconds: Readonly<Record<string, number>>;
}

/** One phase over all partitions. */
export interface PhaseSummary {
  readonly medianSeconds: number;
  readonly maxSeconds: number;
  /** `gpu`: device time by timestamps; `wall`: around the work. */
  readonly clock: 'gpu' | 'wall';
}

type StageName = 'waitForSynthesis' | 'synthesize' | 'waitForDevice' | 'prove';

/** The states that a stage lies between. */
const STAGES: Readonly<Record<StageName, readonly [from: string, to: string]>> = {
  waitForSynthesis: ['queued', 'synthesizing'],
  synthesize: ['synthesizing', 'synthesized'],
  waitForDevice: ['synthesized', 'proving'],
  prove: ['proving', 'proved'],
};

/** The times of every partition of an ended proof. */
export const partitionTimes = ({ partitions }: ProofView): PartitionTimes[] =>
  partitions.map((partition) => ({
    index: partition.index,
    worker: partition.worker,
    stageSeconds: stageSecondsOf(partition),
    phaseSeconds: Object.fromEntries(
      partition.phases.map(({ name, durationMs }) => [plainName(name), seconds(durationMs)]),
    ),
  }));

function stageSecondsOf({ enteredAt }: PartitionView): PartitionTimes['stageSeconds'] {
  const between = ([from, to]: readonly [string, string]): number | null => {
    const ms = Date.parse(enteredAt[to] ?? '') - Date.parse(enteredAt[from] ?? '');
    return Number.isNaN(ms) ? null : seconds(ms);
  };
  return {
    waitForSynthesis: between(STAGES.waitForSynthesis),
    synthesize: between(STAGES.synthesize),
    waitForDevice: between(STAGES.waitForDevice),
    prove: between(STAGES.prove),
  };
}

/** Median and largest time of each phase over all partitions of all proofs, in order of first appearance. */
export function summarizePhases(proofs: readonly ProofView[]): Record<string, PhaseSummary> {
  const byName = new Map<string, { times: number[]; clock: PhaseSummary['clock'] }>();
  for (const { phases } of proofs.flatMap(({ partitions }) => partitions)) {
    for (const { name, durationMs, clock } of phases) {
      const entry = byName.get(plainName(name)) ?? { times: [], clock };
      entry.times.push(seconds(durationMs));
      byName.set(plainName(name), entry);
    }
  }
  return Object.fromEntries(
    [...byName].map(([name, { times, clock }]) => [
      name,
      { medianSeconds: median(times), maxSeconds: Math.max(...times), clock },
    ]),
  );
}

/** Mean time from one proved partition to the next, on whatever device; null where there are less than two. */
export function secondsBetweenPartitions(proofs: readonly ProofView[]): number | null {
  const ends = proofs
    .flatMap(({ partitions }) =>
      partitions.map(({ enteredAt }) => Date.parse(enteredAt.proved ?? '')),
    )
    .filter((ms) => !Number.isNaN(ms));
  if (ends.length < 2) return null;
  return seconds((Math.max(...ends) - Math.min(...ends)) / (ends.length - 1));
}

/** The middle of sorted values; of an even number of them, the mean of the two in the middle. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const half = Math.floor(sorted.length / 2);
  const [low = Number.NaN, high = Number.NaN] = [sorted[half - 1] ?? sorted[half], sorted[half]];
  return sorted.length % 2 === 1 ? high : seconds(500 * (low + high));
}

const plainName = (span: string): string => span.replace(/^cuzk\./, '');

/** To microseconds. */
const seconds = (ms: number): number => Math.round(ms * 1000) / 1e6;
