import type { PartitionState, RunState, Stage } from './types.ts';

/** The members of an event that a timeline is made of; the rest is left alone. */
export interface TimelineEvent {
  /** Unix ms. */
  readonly at: number;
  readonly type: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/** One stretch of a proof's life: a unit waits for something, or a worker works on it. */
export interface Stretch {
  readonly kind: 'wait' | 'work';
  /** What is waited for, or the stage that works. */
  readonly what: WaitReason | Stage;
  /** null: the whole proof. */
  readonly partition: number | null;
  readonly startMs: number;
  /** null while it goes on. */
  readonly endMs: number | null;
  readonly attempt: number | null;
  readonly worker: string | null;
  /** State or reason that ended it; null while it goes on. */
  readonly ending: string | null;
}

type WaitReason = 'ingest' | 'dispatch' | 'synthesis slot' | 'gpu' | 'finalize';

type Opening = Pick<Stretch, 'kind' | 'what'>;

/** What begins when a partition enters a state; nothing for states in which its part is done. */
const PARTITION_OPENS: Readonly<Record<PartitionState, Opening | null>> = {
  pending: { kind: 'wait', what: 'dispatch' },
  queued: { kind: 'wait', what: 'synthesis slot' },
  synthesizing: { kind: 'work', what: 'synthesize' },
  synthesized: { kind: 'wait', what: 'gpu' },
  proving: { kind: 'work', what: 'prove' },
  proved: null,
  failed: null,
  cancelled: null,
};

/** What begins for the whole proof when its run enters a state. */
const RUN_OPENS: Readonly<Partial<Record<RunState, Opening>>> = {
  received: { kind: 'wait', what: 'ingest' },
  finalizing: { kind: 'wait', what: 'finalize' },
};

const WHOLE = -1;
const number = (value: unknown): number | null => (typeof value === 'number' ? value : null);
const text = (value: unknown): string | null => (typeof value === 'string' ? value : null);

/**
 * What a proof waited for and who worked on it, by its events (oldest first), every attempt on its own, in order
 * of start. Stretches of one partition do not overlap.
 */
export function stretchesOf(events: readonly TimelineEvent[]): readonly Stretch[] {
  const done: Stretch[] = [];
  const open = new Map<number, Stretch>();
  const close = (track: number, endMs: number, ending: string): void => {
    const stretch = open.get(track);
    if (stretch !== undefined) done.push({ ...stretch, endMs, ending });
    open.delete(track);
  };
  const begin = (track: number, opening: Opening, { at, data }: TimelineEvent): void => {
    open.set(track, {
      ...opening,
      partition: track === WHOLE ? null : track,
      startMs: at,
      endMs: null,
      attempt: number(data.attempt),
      worker: text(data.worker),
      ending: null,
    });
  };
  for (const event of events) {
    const step = stepOf(event);
    if (step === null) continue;
    close(step.track, event.at, step.ending);
    if (step.opening !== null) begin(step.track, step.opening, event);
  }
  return [...done, ...open.values()].sort((a, b) => a.startMs - b.startMs);
}

interface Step {
  readonly track: number;
  /** What the event says about the stretch that it ends. */
  readonly ending: string;
  readonly opening: Opening | null;
}

function stepOf({ type, data }: TimelineEvent): Step | null {
  const state = text(data.state) ?? '';
  if (type === 'partition') {
    const track = number(data.partition);
    if (track === null) return null;
    return {
      track,
      ending: endingOf(data, state),
      opening: PARTITION_OPENS[state as PartitionState] ?? null,
    };
  }
  if (type === 'state') {
    return { track: WHOLE, ending: state, opening: RUN_OPENS[state as RunState] ?? null };
  }
  const stage = text(data.stage);
  if (stage !== 'ingest' && stage !== 'finalize') return null;
  if (type === 'claimed')
    return { track: WHOLE, ending: 'claimed', opening: { kind: 'work', what: stage } };
  if (type === 'waiting') {
    return {
      track: WHOLE,
      ending: endingOf(data, 'waiting'),
      opening: { kind: 'wait', what: stage },
    };
  }
  return null;
}

/** Why a unit went back, where the event says so; else the state it went to. */
function endingOf(data: TimelineEvent['data'], state: string): string {
  if (data.lost !== undefined) return 'lost';
  const handedBack = text(data.handedBack);
  if (handedBack !== null) return handedBack;
  return data.failures !== undefined || data.problem !== undefined ? 'failed' : state;
}
