import { waitingSince } from '@cuzk/service-kit/fleet/oldest-waits';
import { HANDOFF_POOL, type PoolStatus } from '@cuzk/service-kit/permits/permits';
import type { PartitionState } from '@cuzk/service-kit/record/types';
import type { FleetReading } from './fleet-reading.ts';
import { iso, pipelineView } from './pipeline-view.ts';
import type {
  BuffersSection,
  CountersSection,
  MemorySection,
  PoolView,
  QueueView,
  ServiceSection,
  StatusView,
} from './status-types.ts';
import { allocationsOf, gpuWorkerViews, workerView } from './worker-view.ts';

/** What the status says about the process that answers. */
export interface ServiceFacts {
  /** Unix ms, by the clock of the status. */
  readonly startedAtMs: number;
  readonly chaos: boolean;
  readonly page: string | null;
}

/**
 * The status at `nowMs`. All that runs on with the clock is made from it, so that two readings compare equal when
 * they are shown at the same time.
 */
export function statusView(reading: FleetReading, facts: ServiceFacts, nowMs: number): StatusView {
  const synths = reading.workers.filter(({ role, silent }) => role === 'synth-worker' && !silent);
  return {
    uptime_secs: Math.max(0, nowMs - facts.startedAtMs) / 1000,
    time: new Date(nowMs).toISOString(),
    service: serviceSection(reading, facts),
    memory: memoryOf(reading.pools.find(({ pool }) => pool === HANDOFF_POOL)),
    synthesis: {
      max_concurrent: synths.reduce((total, worker) => total + (worker.facts.slots ?? 1), 0),
      active: countPartitions(reading, 'synthesizing'),
    },
    pipelines: reading.proofs.map((proof) => pipelineView(proof, nowMs)),
    gpu_workers: gpuWorkerViews(reading, nowMs),
    allocations: allocationsOf(reading, nowMs),
    counters: countersOf(reading),
    buffers: buffersOf(reading),
    workers: [...reading.workers].sort((a, b) => a.name.localeCompare(b.name)).map(workerView),
    queues: queuesOf(reading, nowMs),
    permits: reading.pools.map(poolView),
  };
}

const NEEDED = ['synth-worker', 'gpu-worker'] as const;

function serviceSection({ workers }: FleetReading, { chaos, page }: ServiceFacts): ServiceSection {
  const waitingFor = NEEDED.flatMap((role) => {
    const own = workers.filter((worker) => worker.role === role && !worker.silent);
    if (own.some(({ facts }) => facts.ready)) return [];
    if (own.length === 0) return [`no ${role} is running`];
    return [own.map(({ name, facts }) => `${name}: ${facts.status}`).join('; ')];
  });
  return { ready: waitingFor.length === 0, waiting_for: waitingFor, chaos, page };
}

const countPartitions = ({ proofs }: FleetReading, ...states: PartitionState[]): number =>
  proofs.flatMap(({ record }) => record.partitions).filter(({ state }) => states.includes(state))
    .length;

const memoryOf = (pool: PoolStatus | undefined): MemorySection => {
  const { capBytes = 0, usedBytes = 0 } = pool ?? {};
  return {
    total_bytes: capBytes,
    used_bytes: usedBytes,
    available_bytes: Math.max(0, capBytes - usedBytes),
  };
};

function countersOf(reading: FleetReading): CountersSection {
  const { succeeded = 0, failed = 0, cancelled = 0, expired = 0 } = reading.ended;
  return {
    total_completed: succeeded,
    total_failed: failed,
    completed_by_kind: { 'porep-c2': succeeded },
    failed_by_kind: { 'porep-c2': failed },
    queue_depth: reading.pendingPartitions + countPartitions(reading, 'queued'),
    live: reading.liveProofs,
    cancelled,
    expired,
  };
}

function buffersOf(reading: FleetReading): BuffersSection {
  const byClass = new Map<string, BuffersSection['by_class'][number]>();
  for (const { silent, levels } of reading.workers) {
    if (silent) continue;
    for (const { class: name, stage, buffers, bytes } of levels?.buffers ?? []) {
      const before = byClass.get(`${name} ${stage}`);
      byClass.set(`${name} ${stage}`, {
        class: name,
        stage,
        buffers: buffers + (before?.buffers ?? 0),
        bytes: bytes + (before?.bytes ?? 0),
      });
    }
  }
  const pool = reading.pools.find(({ pool: name }) => name === HANDOFF_POOL);
  return {
    synth_in_flight: countPartitions(reading, 'synthesizing'),
    provers_in_flight: countPartitions(reading, 'proving'),
    aux_in_flight: pool?.leases ?? 0,
    shells_in_flight: 0,
    pending_handles: countPartitions(reading, 'synthesized'),
    by_class: [...byClass.keys()].sort().map((key) => byClass.get(key) as never),
  };
}

function queuesOf(reading: FleetReading, nowMs: number): readonly QueueView[] {
  const oldest = new Map<string, number>();
  for (const { record } of reading.proofs) {
    if (record.endedAt !== null) continue;
    for (const [stage, since] of waitingSince(record)) {
      oldest.set(stage, Math.min(oldest.get(stage) ?? since, since));
    }
  }
  return reading.queues.map(({ queue, waiting, active, delayed }) => {
    const since = oldest.get(queue);
    const seconds = since === undefined ? null : Math.max(0, nowMs - since) / 1000;
    return { queue, waiting, active, delayed, oldest_secs: seconds, oldest_at: iso(since) };
  });
}

const poolView = (pool: PoolStatus): PoolView => ({
  pool: pool.pool,
  used_bytes: pool.usedBytes,
  cap_bytes: pool.capBytes,
  leases: pool.leases,
  granted: pool.granted,
  denied: pool.denied,
  reaped: pool.reaped,
  holders: [...pool.holders].sort((a, b) => b.bytes - a.bytes).slice(0, HOLDERS_MAX),
});

const HOLDERS_MAX = 8;
