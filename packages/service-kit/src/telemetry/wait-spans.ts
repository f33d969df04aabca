import type { Tracer } from '@opentelemetry/api';
import type { Service } from '../open-service.ts';
import { readAllEvents } from '../record/read-events.ts';
import { type Stretch, stretchesOf, type TimelineEvent } from '../record/timeline.ts';
import { proofKey, waitsToldKey } from '../redis/keys.ts';
import { SPANS } from './span-names.ts';
import { contextOf } from './trace-context.ts';

/** Waits of one partition, or of the whole proof, that become spans; an untroubled partition has three. */
const WAITS_MAX = 8;

type Wait = Stretch & { readonly endMs: number };

/** The longest waits of each partition and of the whole proof, in order of start. */
function longestWaits(events: readonly TimelineEvent[]): Wait[] {
  const byTrack = new Map<number | null, Wait[]>();
  for (const stretch of stretchesOf(events)) {
    if (stretch.kind !== 'wait' || stretch.endMs === null) continue;
    const waits = byTrack.get(stretch.partition) ?? [];
    byTrack.set(stretch.partition, waits);
    waits.push({ ...stretch, endMs: stretch.endMs });
  }
  const kept = [...byTrack.values()].flatMap((waits) =>
    waits.sort((a, b) => b.endMs - b.startMs - (a.endMs - a.startMs)).slice(0, WAITS_MAX),
  );
  return kept.sort((a, b) => a.startMs - b.startMs);
}

/** Longer than any two workers that find the same run ended are apart. */
const TOLD_SECONDS = 600;

/**
 * For whoever made a change after which a run may have ended: writes the waits of one that has. Once for each run: the
 * next stage may have ended it before the worker of the stage before looks.
 */
export async function writeWaitsOfEnded(
  { redis, telemetry }: Pick<Service, 'redis' | 'telemetry'>,
  proofId: string,
): Promise<void> {
  const fields = await redis.hmget(proofKey(proofId), 'endedAt', 'traceparent', 'run');
  const [endedAt, traceparent, run] = fields;
  if (!endedAt || !traceparent) return;
  const first = await redis.set(waitsToldKey(proofId, run ?? ''), '', 'EX', TOLD_SECONDS, 'NX');
  if (first === null) return;
  const events = eventsOfLastRun(await readAllEvents(redis, proofId));
  writeWaitSpans(telemetry.tracer, { proofId, traceparent }, events);
}

/** Waits of earlier runs were written when those ended. */
function eventsOfLastRun(events: readonly TimelineEvent[]): readonly TimelineEvent[] {
  const start = events.findLastIndex(
    ({ type, data }) => type === 'state' && data.run !== undefined,
  );
  return start < 0 ? events : events.slice(start);
}

/** Writes what a proof waited for, by its events, into its trace. */
export function writeWaitSpans(
  tracer: Tracer,
  proof: { readonly proofId: string; readonly traceparent: string | null },
  events: readonly TimelineEvent[],
): void {
  if (!proof.traceparent) return;
  const context = contextOf(proof.traceparent);
  for (const { what, partition, startMs, endMs } of longestWaits(events)) {
    const attributes = {
      'cuzk.proof': proof.proofId,
      'cuzk.waits_for': what,
      ...(partition === null ? {} : { 'cuzk.partition': partition }),
    };
    tracer.startSpan(SPANS.wait, { startTime: startMs, attributes }, context).end(endMs);
  }
}
