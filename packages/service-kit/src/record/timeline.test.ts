import { describe, expect, it } from 'vitest';
import { stretchesOf, type TimelineEvent } from './timeline.ts';

const event = (at: number, type: string, data: Record<string, unknown>): TimelineEvent => ({
  at,
  type,
  data: { type, ...data },
});
const partition = (at: number, index: number, state: string, more: Record<string, unknown> = {}) =>
  event(at, 'partition', { partition: index, state, ...more });
const state = (at: number, name: string) => event(at, 'state', { state: name });
const lines = (events: readonly TimelineEvent[]): string[] =>
  stretchesOf(events).map(
    (s) => `${s.partition ?? '-'} ${s.kind} ${s.what} ${s.startMs}-${s.endMs} ${s.ending}`,
  );

const UNTROUBLED = [
  state(0, 'received'),
  event(5, 'claimed', { stage: 'ingest', attempt: 1, worker: 'synth-worker/a/0' }),
  state(20, 'queued'),
  partition(20, 0, 'pending'),
  partition(21, 0, 'queued'),
  partition(30, 0, 'synthesizing', { attempt: 1, worker: 'synth-worker/a/0' }),
  state(30, 'running'),
  partition(60, 0, 'synthesized', { bytes: 7 }),
  partition(64, 0, 'proving', { attempt: 1, worker: 'gpu-worker/a/0' }),
  event(66, 'uploaded', { partition: 0 }),
  partition(90, 0, 'proved', { attempt: 1, worker: 'gpu-worker/a/0' }),
  state(90, 'finalizing'),
  event(92, 'claimed', { stage: 'finalize', attempt: 1, worker: 'synth-worker/a/0' }),
  state(99, 'succeeded'),
];

describe('the timeline of a proof', () => {
  it('is a chain of waits and works without gaps', () => {
    expect(lines(UNTROUBLED)).toEqual([
      '- wait ingest 0-5 claimed',
      '- work ingest 5-20 queued',
      '0 wait dispatch 20-21 queued',
      '0 wait synthesis slot 21-30 synthesizing',
      '0 work synthesize 30-60 synthesized',
      '0 wait gpu 60-64 proving',
      '0 work prove 64-90 proved',
      '- wait finalize 90-92 claimed',
      '- work finalize 92-99 succeeded',
    ]);
    expect(stretchesOf(UNTROUBLED)[6]).toMatchObject({ attempt: 1, worker: 'gpu-worker/a/0' });
  });

  it('has every attempt on its own, with how it ended', () => {
    const events = [
      ...UNTROUBLED.slice(0, 9),
      partition(70, 0, 'synthesized', { failures: 1 }),
      partition(71, 0, 'proving', { attempt: 2, worker: 'gpu-worker/b/0' }),
      partition(80, 0, 'synthesized', { lost: 'gpu-worker/b/0#1' }),
      partition(81, 0, 'proving', { attempt: 3, worker: 'gpu-worker/c/0' }),
      partition(85, 0, 'synthesized', { handedBack: 'drained' }),
    ];
    expect(lines(events).slice(6)).toEqual([
      '0 work prove 64-70 failed',
      '0 wait gpu 70-71 proving',
      '0 work prove 71-80 lost',
      '0 wait gpu 80-81 proving',
      '0 work prove 81-85 drained',
      '0 wait gpu 85-null null',
    ]);
  });

  it('leaves alone what it does not know', () => {
    expect(lines([event(0, 'partition', {}), event(1, 'later', { stage: 'prove' })])).toEqual([]);
    expect(lines([])).toEqual([]);
  });
});
