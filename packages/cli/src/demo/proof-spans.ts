import type { PartitionView, ProofView } from '../proof-client.ts';
import type { WaterfallSpan } from '../terminal/waterfall.ts';

/** States between which a partition waits or works, and what that time is called where no phase covers it. */
const PARTITION_STEPS = [
  ['wait for synthesis', 'queued', 'synthesizing'],
  ['synthesize', 'synthesizing', 'synthesized'],
  ['wait for device', 'synthesized', 'proving'],
  ['prove', 'proving', 'proved'],
] as const;

const PROOF_STEPS = [
  ['ingest', 'received', 'queued'],
  ['finalize', 'finalizing', 'succeeded'],
] as const;

type Times = Readonly<Record<string, string | null>>;

/**
 * Where the time of an ended proof went, by its record: the steps of the proof and of each partition, and below
 * `synthesize` and `prove` the phases that were measured inside (a phase that is the whole step is left out). Starts
 * count from the creation of the record.
 */
export function proofSpans(proof: ProofView): WaterfallSpan[] {
  const originMs = Date.parse(proof.createdAt);
  const [ingest, finalize] = PROOF_STEPS.map(([name, from, to]) =>
    stepOf(name, proof.enteredAt, from, to, originMs),
  );
  const named = proof.partitions.length > 1;
  const partitions = proof.partitions.flatMap((partition) =>
    partitionSpans(partition, originMs, named ? `[${partition.index}] ` : ''),
  );
  return [ingest, ...partitions, finalize].filter((span) => span !== null && span !== undefined);
}

function partitionSpans(
  { enteredAt, phases }: PartitionView,
  originMs: number,
  prefix: string,
): WaterfallSpan[] {
  const steps = PARTITION_STEPS.map(([name, from, to]) =>
    stepOf(`${prefix}${name}`, enteredAt, from, to, originMs),
  ).filter((span) => span !== null);
  const measured = phases
    .map((phase) => ({ ...phase, name: phase.name.replace(/^cuzk\./, '') }))
    .filter(({ name }) => PARTITION_STEPS.every(([step]) => step !== name))
    .map(({ name, startMs, durationMs }) => ({
      name: `${prefix}  ${name}`,
      startSeconds: (startMs - originMs) / 1000,
      seconds: durationMs / 1000,
    }));
  return [...steps, ...measured].sort(byStart);
}

/** Earlier first; what starts together longest first, so that a step stands above its phases. */
const byStart = (a: WaterfallSpan, b: WaterfallSpan): number =>
  a.startSeconds - b.startSeconds || b.seconds - a.seconds;

function stepOf(
  name: string,
  times: Times,
  from: string,
  to: string,
  originMs: number,
): WaterfallSpan | null {
  const [start, end] = [from, to].map((state) => Date.parse(times[state] ?? ''));
  if (start === undefined || end === undefined || Number.isNaN(end - start)) return null;
  return { name, startSeconds: (start - originMs) / 1000, seconds: (end - start) / 1000 };
}

/** Seconds by name; spans of the same name (of several partitions) are added up. */
export function secondsByName(spans: readonly WaterfallSpan[]): Record<string, number> {
  const totals: Record<string, number> = {};
  for (const { name, seconds } of spans) {
    const key = name.replace(/^\[\d+\] /, '').trim();
    totals[key] = round((totals[key] ?? 0) + seconds);
  }
  return totals;
}

/** To milliseconds. */
export const round = (seconds: number): number => Math.round(seconds * 1000) / 1000;
