import { type Stretch, stretchesOf, type TimelineEvent } from '@cuzk/service-kit/record/timeline';
import { formatMs, shortWorker } from '../format.ts';

/** A measured phase of a partition, as the record has it. */
export interface Phase {
  readonly name: string;
  readonly startMs: number;
  readonly durationMs: number;
  readonly clock: 'gpu' | 'wall';
  readonly parent?: string;
}

export interface TimedPartition {
  readonly index: number;
  readonly phases: readonly Phase[];
}

/** A bar; places are shares of the whole time, 0 … 1. */
interface Bar {
  readonly key: string;
  /** Names the look. */
  readonly look: string;
  readonly left: number;
  readonly width: number;
  readonly ms: number;
  /** What it was, how long, by whom. */
  readonly sentence: string;
}

/** One line of the waterfall. Phases are lines of their own below the line of their partition. */
export interface Row {
  readonly key: string;
  readonly label: string;
  /** 0: the proof or a partition; deeper: phases. */
  readonly depth: number;
  /** Partition of a phase line, which is shown when its partition is opened. */
  readonly partition: number | null;
  readonly ms: number;
  readonly bars: readonly Bar[];
}

export interface Waterfall {
  readonly originMs: number;
  readonly totalMs: number;
  readonly rows: readonly Row[];
}

const WAITS: Readonly<Record<string, string>> = {
  ingest: 'waits for ingest',
  dispatch: 'waits for a permit',
  'synthesis slot': 'waits for a synthesis slot',
  gpu: 'waits for a GPU',
  finalize: 'waits for finalize',
};

/**
 * Where the time of a proof went, from its events and the phases of its record; open stretches end at `nowMs`. Bars
 * keep within the time of the proof, whatever the clocks of workers say.
 */
export function waterfallOf(
  events: readonly TimelineEvent[],
  partitions: readonly TimedPartition[],
  nowMs: number,
): Waterfall | null {
  const first = events[0];
  if (first === undefined) return null;
  const stretches = stretchesOf(events);
  const open = stretches.some(({ endMs }) => endMs === null);
  const last = Math.max(...events.map(({ at }) => at));
  const originMs = first.at;
  const endMs = Math.max(open ? nowMs : last, last, originMs + 1);
  const scale = { originMs, totalMs: endMs - originMs, endMs };
  const rows = [
    rowOf('the proof', null, stretches, scale),
    ...partitions.flatMap((partition) => [
      rowOf(`partition ${partition.index}`, partition.index, stretches, scale),
      ...phaseRows(partition, scale),
    ]),
  ];
  return { originMs, totalMs: scale.totalMs, rows };
}

interface Scale {
  readonly originMs: number;
  readonly totalMs: number;
  readonly endMs: number;
}

function rowOf(
  label: string,
  partition: number | null,
  stretches: readonly Stretch[],
  scale: Scale,
): Row {
  const own = stretches.filter((stretch) => stretch.partition === partition);
  const bars = own.map((stretch, i) => stretchBar(stretch, `${label} ${i}`, scale));
  const start = Math.min(...own.map(({ startMs }) => startMs));
  const end = Math.max(...own.map(({ endMs }) => endMs ?? scale.endMs));
  const ms = own.length === 0 ? 0 : end - start;
  return { key: label, label, depth: 0, partition, ms, bars };
}

function stretchBar(stretch: Stretch, key: string, scale: Scale): Bar {
  const { kind, what, startMs, endMs, attempt, worker, ending } = stretch;
  const ms = (endMs ?? scale.endMs) - startMs;
  const said = kind === 'wait' ? (WAITS[what] ?? `waits for ${what}`) : what;
  const by = worker === null ? '' : ` by ${shortWorker(worker)}`;
  const which = attempt !== null && attempt > 1 ? `, attempt ${attempt}` : '';
  const bad = ending === 'lost' || ending === 'failed' || ending === 'cancelled';
  const end = bad ? `, ${ending}` : endMs === null ? ', goes on' : '';
  return {
    key,
    look: kind === 'wait' ? 'wait' : `work-${what}${bad ? ' bar-bad' : ''}`,
    ...placed(startMs, ms, scale),
    ms,
    sentence: `${said} ${formatMs(ms)}${by}${which}${end}`,
  };
}

/** Deeper phases stand no further in. */
const DEPTH_MAX = 4;

/** How many phases a phase is part of, itself included. Ends in a circle of parents too. */
function depthOf(phase: Phase, phases: readonly Phase[]): number {
  let depth = 1;
  let parent = phase.parent;
  while (parent !== undefined && depth < DEPTH_MAX) {
    const name = parent;
    const found = phases.find((own) => own.name === name);
    if (found === undefined) break;
    depth++;
    parent = found.parent;
  }
  return depth;
}

function phaseRows({ index, phases }: TimedPartition, scale: Scale): Row[] {
  return phases.map((phase, i) => {
    const { name, startMs, durationMs, clock } = phase;
    const label = name.replace(/^cuzk\./, '');
    const key = `${index} ${name} ${i}`;
    const measured = clock === 'gpu' ? 'GPU clock' : 'wall clock';
    const bar = {
      key,
      look: label.startsWith('gpu.') ? 'phase-gpu' : 'phase-cpu',
      ...placed(startMs, durationMs, scale),
      ms: durationMs,
      sentence: `${label} ${formatMs(durationMs)} (${measured})`,
    };
    return {
      key,
      label,
      depth: depthOf(phase, phases),
      partition: index,
      ms: durationMs,
      bars: [bar],
    };
  });
}

function placed(startMs: number, ms: number, { originMs, totalMs }: Scale) {
  const clamp = (share: number) => Math.min(1, Math.max(0, share));
  const left = clamp((startMs - originMs) / totalMs);
  return { left, width: clamp((startMs + ms - originMs) / totalMs) - left };
}

const MINUTE_MS = 60_000;
const DAY_MS = 1_440 * MINUTE_MS;
const STEPS_MS = [
  ...[1, 2, 5, 10, 20, 50, 100, 200, 500],
  ...[1, 2, 5, 10, 20, 30].map((seconds) => 1_000 * seconds),
  ...[1, 2, 5, 10, 20, 30, 60, 120, 240, 480, 1_440].map((minutes) => MINUTE_MS * minutes),
];

/** Round times for an axis of `totalMs`, at most `most` of them, 0 first. */
export function axisTicks(totalMs: number, most = 6): number[] {
  const rough = totalMs / most;
  const step = STEPS_MS.find((value) => value >= rough) ?? DAY_MS * Math.ceil(rough / DAY_MS);
  const ticks: number[] = [];
  for (let tick = 0; tick <= totalMs; tick += step) ticks.push(tick);
  return ticks;
}
