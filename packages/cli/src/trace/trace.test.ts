import { describe, expect, it } from 'vitest';
import type { PhaseView, ProofView } from '../proof-client.ts';
import { chromeTrace } from './chrome-trace.ts';
import { cuzkTimingLines } from './cuzk-timing.ts';
import { historySpans } from './history-spans.ts';
import { historyOf } from './proof-history.ts';

const BASE_MS = Date.parse('2026-01-01T00:00:00.000Z');
const PROOF = 'prf_0198';
const SYNTH = 'synth-worker/a/0';
const GPUS = ['gpu-worker/a/0', 'gpu-worker/b/0'];

const event = (at: number, type: string, data: Record<string, unknown>) => ({
  at: BASE_MS + at,
  type,
  data,
});
const partition = (at: number, index: number, state: string, more: object = {}) =>
  event(at, 'partition', { partition: index, state, ...more });
const phase = (name: string, at: number, durationMs: number, parent?: string): PhaseView => ({
  name,
  startMs: BASE_MS + at,
  durationMs,
  clock: name.startsWith('cuzk.gpu') ? 'gpu' : 'wall',
  ...(parent === undefined ? {} : { parent }),
});

/** Two partitions; the second one's first proving attempt fails and another worker repeats it. */
const EVENTS = [
  event(0, 'state', { state: 'received' }),
  event(10, 'claimed', { stage: 'ingest', attempt: 1, worker: SYNTH }),
  event(100, 'state', { state: 'queued' }),
  partition(100, 0, 'pending'),
  partition(100, 1, 'pending'),
  partition(101, 0, 'queued'),
  partition(101, 1, 'queued'),
  partition(110, 0, 'synthesizing', { attempt: 1, worker: SYNTH }),
  partition(500, 0, 'synthesized'),
  partition(510, 1, 'synthesizing', { attempt: 1, worker: SYNTH }),
  partition(520, 0, 'proving', { attempt: 1, worker: GPUS[0] }),
  partition(900, 1, 'synthesized'),
  partition(910, 1, 'proving', { attempt: 1, worker: GPUS[1] }),
  partition(1_000, 1, 'synthesized', { failures: 1 }),
  partition(1_500, 0, 'proved', { attempt: 1, worker: GPUS[0] }),
  partition(1_510, 1, 'proving', { attempt: 2, worker: GPUS[0] }),
  partition(2_500, 1, 'proved', { attempt: 2, worker: GPUS[0] }),
  event(2_500, 'state', { state: 'finalizing' }),
  event(2_510, 'claimed', { stage: 'finalize', attempt: 1, worker: SYNTH }),
  event(2_600, 'state', { state: 'succeeded' }),
];
const provedFrom = (at: number): PhaseView[] => [
  phase('cuzk.gpu.total', at, 900),
  phase('cuzk.gpu.upload', at, 50, 'cuzk.gpu.total'),
  phase('cuzk.gpu.ntt_msm_h', at + 50, 400, 'cuzk.gpu.total'),
  phase('cuzk.gpu.batch_add', at + 450, 100, 'cuzk.gpu.total'),
  phase('cuzk.gpu.tail_msm', at + 550, 150, 'cuzk.gpu.total'),
  phase('cuzk.gpu.b_g2_msm', at + 700, 200, 'cuzk.gpu.total'),
];
const VIEW = {
  proofId: PROOF,
  state: 'succeeded',
  traceId: 'a'.repeat(32),
  createdAt: new Date(BASE_MS).toISOString(),
  endedAt: new Date(BASE_MS + 2_600).toISOString(),
  partitions: [
    {
      index: 0,
      phases: [
        phase('cuzk.synthesize', 110, 390),
        phase('cuzk.synthesize.fill', 120, 300),
        ...provedFrom(540),
      ],
    },
    {
      index: 1,
      phases: [
        phase('cuzk.synthesize', 510, 390),
        phase('cuzk.synthesize.fill', 520, 300),
        ...provedFrom(1_530),
      ],
    },
  ],
} as unknown as ProofView;
const history = historyOf(VIEW, EVENTS, BASE_MS + 9_999);

describe('the waterfall of a proof', () => {
  const spans = historySpans(history);
  const named = (name: string) => spans.filter((span) => span.name === name);

  it('has every wait and attempt of each partition, and the phases of the attempts that count', () => {
    expect(named('[1] prove: failed')).toEqual([
      { name: '[1] prove: failed', startSeconds: 0.91, seconds: 0.09 },
    ]);
    expect(named('[1] prove (attempt 2)')).toHaveLength(1);
    expect(named('[1] wait for gpu').map(({ startSeconds }) => startSeconds)).toEqual([0.9, 1]);
    expect(named('[0]   gpu.total')).toHaveLength(1);
    expect(named('[1]     gpu.ntt_msm_h')).toEqual([
      { name: '[1]     gpu.ntt_msm_h', startSeconds: 1.58, seconds: 0.4 },
    ]);
    expect(spans.map(({ name }) => name).slice(0, 2)).toEqual(['wait for ingest', 'ingest']);
    expect(spans.map(({ name }) => name).slice(-2)).toEqual(['wait for finalize', 'finalize']);
  });

  it('covers all of the time', () => {
    const reached = spans
      .toSorted((a, b) => a.startSeconds - b.startSeconds)
      .reduce((end, span) => {
        expect(span.startSeconds).toBeLessThanOrEqual(end + 1e-9);
        return Math.max(end, span.startSeconds + span.seconds);
      }, 0);
    expect(reached).toBeCloseTo(2.6);
  });

  it('of a proof that goes on reaches to now', () => {
    const running = { ...VIEW, state: 'running', endedAt: null };
    const live = historySpans(historyOf(running, EVENTS.slice(0, 8), BASE_MS + 700));
    expect(live.find(({ name }) => name === '[0] synthesize, still')?.seconds).toBeCloseTo(0.59);
  });
});

describe("cuzk's timing log", () => {
  const lines = cuzkTimingLines(history);

  it('names proof, partition and worker in every line', () => {
    expect(lines.length).toBeGreaterThan(20);
    for (const line of lines) {
      expect(line).toMatch(/^(TIMELINE,\d+,[A-Z_]+,|CUZK_TIMING: )/);
      expect(line).toContain(PROOF);
      expect(line).toMatch(/partition=[01]\b/);
      expect(line).toMatch(/worker=(synth|gpu)-worker\/[ab]\/0/);
    }
  });

  it('has the classic events in order of time', () => {
    const own = lines.filter((line) => line.startsWith('TIMELINE') && line.includes('partition=1'));
    expect(own).toEqual([
      `TIMELINE,510,SYNTH_START,${PROOF},partition=1,worker=${SYNTH}`,
      `TIMELINE,900,SYNTH_END,${PROOF},partition=1,synth_ms=390,worker=${SYNTH}`,
      `TIMELINE,900,GPU_QUEUE,${PROOF},partition=1,worker=${SYNTH}`,
      `TIMELINE,910,GPU_PICKUP,${PROOF},worker=${GPUS[1]},partition=1`,
      `TIMELINE,1000,GPU_QUEUE,${PROOF},partition=1,worker=${SYNTH}`,
      `TIMELINE,1510,GPU_PICKUP,${PROOF},worker=${GPUS[0]},partition=1`,
      `TIMELINE,1530,GPU_START,${PROOF},worker=${GPUS[0]},partition=1`,
      `TIMELINE,2500,GPU_END,${PROOF},worker=${GPUS[0]},partition=1,gpu_ms=900`,
    ]);
  });

  it('has the figures of the device behind their classic names', () => {
    const own = lines.filter(
      (line) => line.startsWith('CUZK_TIMING') && line.includes('partition=0'),
    );
    const where = `proof=${PROOF} partition=0 worker=${GPUS[0]} clock=gpu`;
    expect(own).toEqual([
      `CUZK_TIMING: pin_abc_ms=50 ${where}`,
      `CUZK_TIMING: gpu_tid=0 ntt_msm_h_ms=400 ${where}`,
      `CUZK_TIMING: gpu_tid=0 batch_add_ms=100 ${where}`,
      `CUZK_TIMING: gpu_tid=0 tail_msm_ms=150 ${where}`,
      `CUZK_TIMING: b_g2_msm_ms=200 ${where}`,
      `CUZK_TIMING: gpu_tid=0 gpu_total_ms=900 ${where}`,
    ]);
  });
});

describe('the trace-event file', () => {
  const { traceEvents } = chromeTrace(history);

  it('has one process a worker and one for the queues, each named', () => {
    const names = traceEvents.filter(({ name }) => name === 'process_name');
    expect(names.map(({ args }) => args.name).toSorted()).toEqual(
      [...GPUS, 'queues', SYNTH].toSorted(),
    );
    const complete = traceEvents.filter(({ ph }) => ph === 'X');
    const known = new Set(names.map(({ pid }) => pid));
    expect(
      complete.every(({ pid, ts, dur }) => known.has(pid) && (ts ?? -1) >= 0 && (dur ?? -1) >= 0),
    ).toBe(true);
    const rows = new Set(
      traceEvents
        .filter(({ name }) => name === 'thread_name')
        .map(({ pid, tid }) => `${pid}.${tid}`),
    );
    expect(complete.every(({ pid, tid }) => rows.has(`${pid}.${tid}`))).toBe(true);
  });

  it('has no two stages of one row of a worker at once', () => {
    const stages = traceEvents.filter(({ ph, cat }) => ph === 'X' && cat !== 'phase');
    for (const a of stages) {
      for (const b of stages) {
        if (a === b || a.pid !== b.pid || a.tid !== b.tid) continue;
        const apart =
          (a.ts ?? 0) + (a.dur ?? 0) <= (b.ts ?? 0) || (b.ts ?? 0) + (b.dur ?? 0) <= (a.ts ?? 0);
        expect(apart).toBe(true);
      }
    }
  });
});
