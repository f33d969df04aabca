import type { WorkerPresence } from '@cuzk/service-kit/presence/presence';
import type { PartitionRecord, ProofRecord } from '@cuzk/service-kit/record/types';
import { describe, expect, it } from 'vitest';
import type { FleetReading } from './fleet-reading.ts';
import { statusView } from './status-view.ts';

const NOW = 1_795_000_100_000;
const partition = (index: number, changes: Partial<PartitionRecord>): PartitionRecord => ({
  ...{ index, state: 'pending', input: null, witness: null, proofHex: null, owner: null },
  ...{ prover: null, attempts: { synthesize: 0, prove: 0 }, failures: { synthesize: 0, prove: 0 } },
  ...{ losses: 0, phases: [], problem: null, enteredAt: {}, ...changes },
});
const GPU = 'gpu-worker/g/1';
const PARTITIONS = [
  partition(0, {
    state: 'proved',
    prover: GPU,
    enteredAt: {
      synthesizing: NOW - 9_000,
      synthesized: NOW - 8_000,
      proving: NOW - 7_000,
      proved: NOW - 5_600,
    },
  }),
  partition(1, {
    state: 'proving',
    owner: `${GPU}#1`,
    // Proved once, refused by finalize, proved again.
    enteredAt: {
      synthesizing: NOW - 9_000,
      synthesized: NOW - 8_500,
      proving: NOW - 1_500,
      proved: NOW - 6_000,
    },
  }),
  partition(2, { state: 'synthesizing', enteredAt: { synthesizing: NOW - 250 } }),
  partition(3, { state: 'synthesized', enteredAt: { synthesized: NOW - 4_000 } }),
  partition(4, { state: 'queued', enteredAt: { pending: NOW - 8_000, queued: NOW - 2_000 } }),
  partition(5, { state: 'cancelled' }),
];
const worker = (name: string, changes: Partial<WorkerPresence> = {}): WorkerPresence => ({
  ...{ owner: `${name}#1`, name, role: 'gpu-worker', node: 'g', seenAt: NOW, silent: false },
  facts: { ready: true, status: 'ready', circuits: ['c'], deviceBytes: { srs: 40, witness: 2 } },
  levels: {
    residentBytes: 7,
    buffers: [{ class: 'witness', stage: 'prove', buffers: 1, bytes: 5 }],
  },
  holds: [],
  ...changes,
});
const reading: FleetReading = {
  proofs: [
    {
      record: {
        ...{ proofId: 'prf_1', state: 'running', run: 1, minerId: '1000', sectorNumber: '7' },
        ...{ createdAt: NOW - 10_000, endedAt: null, deadlineAt: null, problem: null },
        ...{ sectorBytes: 34_359_738_368, parameters: null, priority: 'normal', enteredAt: {} },
        ...{ attempts: { ingest: 1, finalize: 0 }, partitions: PARTITIONS },
      } as unknown as ProofRecord,
      waiting: {
        position: 2,
        reason: 'Partition 3 waits for a free GPU.',
        resource: null,
        heldBy: [],
      },
    },
  ],
  liveProofs: 1,
  pendingPartitions: 3,
  workers: [worker(GPU), worker('gpu-worker/g/0', { silent: true })],
  queues: [{ queue: 'synthesize', waiting: 1, active: 1, delayed: 0 }],
  pools: [
    {
      ...{ pool: 'handoff', usedBytes: 30, capBytes: 100, leases: 3, granted: 9, denied: 1 },
      ...{ reaped: 0, holders: [{ holder: 'prf_1', bytes: 30, leases: 3 }] },
    },
  ],
  ended: { succeeded: 4, failed: 1 },
};
const FACTS = { startedAtMs: NOW - 60_000, chaos: false, page: null };
const view = statusView(reading, FACTS, NOW);

describe("the status in the shape of cuzk's", () => {
  it('names states of partitions as cuzk does, and a cancelled one is not done', () => {
    const states = view.pipelines[0]?.partitions.map(({ state }) => state);
    expect(states).toEqual(['done', 'gpu', 'synthesizing', 'synth_done', 'pending', 'failed']);
    expect(view.pipelines[0]).toMatchObject({
      ...{ job_id: 'prf_1', proof_kind: 'porep-c2', started_secs_ago: 10 },
      ...{ total_partitions: 6, partitions_done: 1 },
    });
  });
  it('times run on while something works, and begin again with another attempt', () => {
    const times = view.pipelines[0]?.partitions.map(({ synth_ms, gpu_ms }) => [synth_ms, gpu_ms]);
    expect(times).toEqual([
      [1_000, 1_400],
      [500, 1_500],
      [250, null],
      [null, null],
      [null, null],
      [null, null],
    ]);
  });
  it('GPU workers say what they prove; silent ones are not ready', () => {
    expect(view.gpu_workers).toMatchObject([
      {
        worker_id: 0,
        gpu_ordinal: 0,
        state: 'idle',
        current_job: null,
        ready: false,
        silent: true,
      },
      {
        worker_id: 1,
        gpu_ordinal: 1,
        state: 'proving',
        current_job: 'prf_1',
        current_partition: 1,
        busy_secs: 1.5,
      },
    ]);
    expect(view.allocations.srs).toMatchObject([
      { circuit_id: 'c', worker: GPU, bytes: 40, evictable: false },
    ]);
  });
  it('counts what is in flight and what has ended', () => {
    expect(view.memory).toEqual({ total_bytes: 100, used_bytes: 30, available_bytes: 70 });
    expect(view.synthesis).toEqual({ max_concurrent: 0, active: 1 });
    expect(view.counters).toMatchObject({
      total_completed: 4,
      total_failed: 1,
      queue_depth: 4,
      live: 1,
    });
    expect(view.buffers).toMatchObject({
      ...{ synth_in_flight: 1, provers_in_flight: 1, aux_in_flight: 3, pending_handles: 1 },
      by_class: [{ class: 'witness', stage: 'prove', buffers: 1, bytes: 5 }],
    });
  });
  it('the oldest unit of a queue has waited since its partition began to', () => {
    expect(view.queues).toEqual([
      {
        queue: 'synthesize',
        waiting: 1,
        active: 1,
        delayed: 0,
        oldest_secs: 8,
        oldest_at: new Date(NOW - 8_000).toISOString(),
      },
    ]);
  });
  it('is not ready without a synth-worker', () => {
    expect(view.service).toMatchObject({
      ready: false,
      waiting_for: ['no synth-worker is running'],
    });
  });
  it('two readings at one time compare equal: only the clock runs', () => {
    expect(statusView(reading, FACTS, 0)).toEqual(statusView(structuredClone(reading), FACTS, 0));
  });
});
