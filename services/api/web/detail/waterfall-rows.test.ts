import type { TimelineEvent } from '@cuzk/service-kit/record/timeline';
import { describe, expect, it } from 'vitest';
import { axisTicks, type Phase, waterfallOf } from './waterfall-rows.ts';

const T = 1_795_000_000_000;
const event = (at: number, type: string, data: Record<string, unknown>): TimelineEvent => ({
  at: T + at,
  type,
  data,
});
const partition = (at: number, state: string, data: Record<string, unknown> = {}) =>
  event(at, 'partition', { partition: 0, state, ...data });

const EVENTS = [
  event(0, 'state', { state: 'received' }),
  event(100, 'claimed', { stage: 'ingest', attempt: 1, worker: 'synth-worker/a/0' }),
  event(300, 'state', { state: 'queued', partitions: 1 }),
  partition(300, 'pending'),
  partition(320, 'queued'),
  partition(400, 'synthesizing', { attempt: 1, worker: 'synth-worker/a/0' }),
  partition(600, 'synthesized'),
  partition(700, 'proving', { attempt: 1, worker: 'gpu-worker/g/0' }),
  partition(800, 'synthesized', { lost: 'gpu-worker/g/0#1' }),
  partition(900, 'proving', { attempt: 2, worker: 'gpu-worker/h/0' }),
];
const phase = (name: string, startMs: number, durationMs: number, parent?: string): Phase => ({
  ...{ name, startMs: T + startMs, durationMs, clock: 'gpu' },
  ...(parent === undefined ? {} : { parent }),
});

describe('a waterfall', () => {
  const waterfall = waterfallOf(EVENTS, [{ index: 0, phases: [] }], T + 1_000);

  it('begins with the first event and runs until now while something goes on', () => {
    expect(waterfall).toMatchObject({ originMs: T, totalMs: 1_000 });
  });
  it('has a line for the proof and one for each partition, every wait and attempt a bar', () => {
    const said = waterfall?.rows.map(({ bars }) => bars.map(({ sentence }) => sentence));
    expect(said).toEqual([
      ['waits for ingest 100 ms', 'ingest 200 ms by a/0'],
      [
        'waits for a permit 20 ms',
        'waits for a synthesis slot 80 ms',
        'synthesize 200 ms by a/0',
        'waits for a GPU 100 ms',
        'prove 100 ms by g/0, lost',
        'waits for a GPU 100 ms',
        'prove 100 ms by h/0, attempt 2, goes on',
      ],
    ]);
  });
  it('places bars by their share of the time', () => {
    const prove = waterfall?.rows[1]?.bars.at(-1);
    expect(prove?.left).toBeCloseTo(0.9);
    expect(prove?.width).toBeCloseTo(0.1);
  });
  it('nests phases below those they are part of', () => {
    const phases = [
      phase('cuzk.gpu.total', 900, 90),
      phase('cuzk.gpu.ntt_msm_h', 905, 40, 'cuzk.gpu.total'),
      phase('cuzk.gpu.msm_h', 920, 20, 'cuzk.gpu.ntt_msm_h'),
    ];
    const rows = waterfallOf(EVENTS, [{ index: 0, phases }], T + 1_000)?.rows.slice(2);
    expect(rows?.map(({ label, depth }) => [label, depth])).toEqual([
      ['gpu.total', 1],
      ['gpu.ntt_msm_h', 2],
      ['gpu.msm_h', 3],
    ]);
  });
  it('keeps phases of a worker with a wrong clock inside', () => {
    const phases = [phase('cuzk.gpu.total', -5_000, 10_000)];
    const bar = waterfallOf(EVENTS, [{ index: 0, phases }], T + 1_000)?.rows[2]?.bars[0];
    expect(bar).toMatchObject({ left: 0, width: 1 });
  });
  it('ends a circle of parents', () => {
    const phases = [phase('a', 900, 10, 'b'), phase('b', 900, 10, 'a')];
    expect(waterfallOf(EVENTS, [{ index: 0, phases }], T + 1_000)?.rows).toHaveLength(4);
  });
  it('does not move once nothing goes on', () => {
    const ended = [
      ...EVENTS,
      partition(950, 'proved'),
      event(980, 'state', { state: 'succeeded' }),
    ];
    expect(waterfallOf(ended, [], T + 5_000)?.totalMs).toBe(980);
  });
  it('is none without events', () => expect(waterfallOf([], [], T)).toBeNull());
});

describe('the axis', () => {
  it.each([
    [1_000, [0, 200, 400, 600, 800, 1_000]],
    [63_000, [0, 20_000, 40_000, 60_000]],
    [7, [0, 2, 4, 6]],
    [420_000, [0, 120_000, 240_000, 360_000]],
    [3 * 86_400_000, [0, 86_400_000, 172_800_000, 259_200_000]],
  ])('has round times up to %d ms', (total, ticks) => expect(axisTicks(total, 5)).toEqual(ticks));
});
