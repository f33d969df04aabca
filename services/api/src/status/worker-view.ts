import { circuitId } from '@cuzk/core/porep/circuit-id';
import { SECTOR_SHAPES } from '@cuzk/core/porep/sector';
import type { WorkerPresence } from '@cuzk/service-kit/presence/presence';
import type { FleetReading } from './fleet-reading.ts';
import type { AllocationsSection, GpuWorkerView, WorkerView } from './status-types.ts';

const SECTOR_OF_CIRCUIT = new Map(SECTOR_SHAPES.map((shape) => [circuitId(shape), shape.name]));

const byName = (a: WorkerPresence, b: WorkerPresence): number => a.name.localeCompare(b.name);

/** One entry per process that was heard of in the last minute. */
export function workerView({
  name,
  role,
  node,
  silent,
  facts,
  levels,
  holds,
}: WorkerPresence): WorkerView {
  const device = facts.deviceBytes;
  return {
    ...{ name, role, node, silent },
    ready: facts.ready && !silent,
    status: facts.status,
    holds: holds.length,
    slots: facts.slots ?? null,
    resident_bytes: silent ? null : (levels?.residentBytes ?? null),
    device_bytes: device && !silent ? sum(Object.values(device)) : null,
  };
}

const sum = (values: readonly number[]): number =>
  values.reduce((total, value) => total + value, 0);

/** The partition that a worker proves now, by the records. */
function currentWork({ proofs }: FleetReading, owner: string) {
  for (const { record } of proofs) {
    const partition = record.partitions.find((p) => p.state === 'proving' && p.owner === owner);
    if (partition) return { proofId: record.proofId, partition };
  }
  return null;
}

/** GPU workers in order of their names. */
export function gpuWorkerViews(reading: FleetReading, nowMs: number): readonly GpuWorkerView[] {
  const workers = reading.workers.filter(({ role }) => role === 'gpu-worker').sort(byName);
  return workers.map(({ owner, name, silent, facts }, i) => {
    const work = currentWork(reading, owner);
    const since = work?.partition.enteredAt.proving;
    const seconds = Object.entries(facts.secondsPerPartition ?? {});
    return {
      worker_id: i,
      gpu_ordinal: Number(/\/(\d+)$/.exec(name)?.[1] ?? 0),
      state: work === null ? 'idle' : 'proving',
      current_job: work?.proofId ?? null,
      current_partition: work?.partition.index ?? null,
      busy_secs: since === undefined ? 0 : Math.max(0, nowMs - since) / 1000,
      name,
      adapter: facts.adapter ?? null,
      ready: facts.ready && !silent,
      silent,
      status: facts.status,
      parameters: facts.parameters ?? null,
      device_bytes: facts.deviceBytes ?? null,
      seconds_per_partition: Object.fromEntries(
        seconds.map(([circuit, value]) => [SECTOR_OF_CIRCUIT.get(circuit) ?? circuit, value]),
      ),
    };
  });
}

/** Proving keys on devices. A worker that has several says only what they take together. */
export function allocationsOf(reading: FleetReading, nowMs: number): AllocationsSection {
  const workers = reading.workers.filter(({ role, silent }) => role === 'gpu-worker' && !silent);
  const srs = workers.sort(byName).flatMap(({ name, owner, facts }) => {
    const circuits = facts.circuits ?? [];
    const busy = currentWork(reading, owner) !== null;
    const lastUsed = lastProvedAt(reading, name);
    return circuits.map((circuit) => ({
      circuit_id: circuit,
      sector_size: SECTOR_OF_CIRCUIT.get(circuit) ?? null,
      worker: name,
      bytes: Math.round((facts.deviceBytes?.srs ?? 0) / circuits.length),
      last_used_secs_ago: busy || lastUsed === null ? 0 : Math.max(0, nowMs - lastUsed) / 1000,
      evictable: !busy,
    }));
  });
  return { srs, pce: [] };
}

/** When this worker last ended a partition of a proof that is still listed. */
function lastProvedAt({ proofs }: FleetReading, name: string): number | null {
  const times = proofs.flatMap(({ record }) =>
    record.partitions.flatMap(({ prover, enteredAt }) =>
      prover === name && enteredAt.proved !== undefined ? [enteredAt.proved] : [],
    ),
  );
  return times.length === 0 ? null : Math.max(...times);
}
