/**
 * The answer of GET /v1/status: the members of cuzk's /status under their names, so that its panels work, and more.
 * Times end in `_at` (ISO 8601) or say their unit. Every section can be compared and sent on its own.
 */
export interface StatusView {
  readonly uptime_secs: number;
  /** By the clock of the process that answers. */
  readonly time: string;
  readonly service: ServiceSection;
  /** The byte budget of partitions between synthesis and GPU: the hand-off pool. */
  readonly memory: MemorySection;
  readonly synthesis: { readonly max_concurrent: number; readonly active: number };
  readonly pipelines: readonly PipelineView[];
  readonly gpu_workers: readonly GpuWorkerView[];
  readonly allocations: AllocationsSection;
  readonly counters: CountersSection;
  readonly buffers: BuffersSection;
  readonly workers: readonly WorkerView[];
  readonly queues: readonly QueueView[];
  readonly permits: readonly PoolView[];
}

export interface ServiceSection {
  /** Whether a proof that comes in now would be proved. */
  readonly ready: boolean;
  readonly waiting_for: readonly string[];
  readonly chaos: boolean;
  /** Changes when the page at / was replaced by another build. */
  readonly page: string | null;
}

export interface MemorySection {
  readonly total_bytes: number;
  readonly used_bytes: number;
  readonly available_bytes: number;
}

/** cuzk's names of the states of a partition. */
export type CuzkPartitionState =
  | 'pending'
  | 'synthesizing'
  | 'synth_done'
  | 'gpu'
  | 'done'
  | 'failed';

export interface PartitionView {
  readonly index: number;
  readonly state: CuzkPartitionState;
  /** Our own, finer name of the state. */
  readonly stage: string;
  /** Runs on while the partition is synthesized. */
  readonly synth_ms: number | null;
  /** Runs on while the partition is proved. */
  readonly gpu_ms: number | null;
  /** Who works on it, or made its proof. */
  readonly worker: string | null;
  readonly entered_at: string | null;
  readonly attempts: number;
  readonly failures: number;
  readonly losses: number;
  readonly error: string | null;
}

export interface PipelineView {
  readonly job_id: string;
  readonly proof_kind: 'porep-c2';
  readonly started_secs_ago: number;
  readonly total_partitions: number;
  readonly partitions_done: number;
  readonly partitions: readonly PartitionView[];
  readonly state: string;
  readonly run: number;
  readonly miner: string;
  readonly sector: string;
  readonly sector_size: string | null;
  readonly parameters: string | null;
  readonly priority: string;
  readonly created_at: string;
  readonly ended_at: string | null;
  readonly deadline_at: string | null;
  /** Partitions of all proofs that go first. */
  readonly position: number | null;
  readonly waiting: string | null;
  readonly error: { readonly code: string; readonly message: string } | null;
}

export interface GpuWorkerView {
  readonly worker_id: number;
  readonly gpu_ordinal: number;
  readonly state: 'idle' | 'proving';
  readonly current_job: string | null;
  readonly current_partition: number | null;
  readonly busy_secs: number;
  readonly name: string;
  readonly adapter: string | null;
  readonly ready: boolean;
  readonly silent: boolean;
  readonly status: string;
  readonly parameters: string | null;
  /** Bytes on the device by buffer class, where the worker says so. */
  readonly device_bytes: Readonly<Record<string, number>> | null;
  /** Last measured seconds of one partition, by sector size. */
  readonly seconds_per_partition: Readonly<Record<string, number>>;
}

interface SrsAllocation {
  readonly circuit_id: string;
  readonly sector_size: string | null;
  readonly worker: string;
  readonly bytes: number;
  readonly last_used_secs_ago: number;
  readonly evictable: boolean;
}

export interface AllocationsSection {
  readonly srs: readonly SrsAllocation[];
  /** Circuits are compiled to a file and mapped: nothing is held for them that could be given back. */
  readonly pce: readonly never[];
}

export interface CountersSection {
  readonly total_completed: number;
  readonly total_failed: number;
  readonly completed_by_kind: Readonly<Record<string, number>>;
  readonly failed_by_kind: Readonly<Record<string, number>>;
  /** Partitions that no worker has taken yet. */
  readonly queue_depth: number;
  readonly live: number;
  readonly cancelled: number;
  readonly expired: number;
}

export interface BuffersSection {
  readonly synth_in_flight: number;
  readonly provers_in_flight: number;
  readonly aux_in_flight: number;
  /** There are none here: a witness is one compact buffer. */
  readonly shells_in_flight: number;
  readonly pending_handles: number;
  /** Buffers that processes hold, summed over the fleet. */
  readonly by_class: readonly {
    readonly class: string;
    readonly stage: string;
    readonly buffers: number;
    readonly bytes: number;
  }[];
}

export interface WorkerView {
  readonly name: string;
  readonly role: string;
  readonly node: string;
  readonly ready: boolean;
  readonly silent: boolean;
  readonly status: string;
  readonly holds: number;
  readonly slots: number | null;
  readonly resident_bytes: number | null;
  readonly device_bytes: number | null;
}

export interface QueueView {
  readonly queue: string;
  readonly waiting: number;
  readonly active: number;
  readonly delayed: number;
  /** How long the unit that waits longest has waited. */
  readonly oldest_secs: number | null;
  /** Since when it waits. */
  readonly oldest_at: string | null;
}

export interface PoolView {
  readonly pool: string;
  readonly used_bytes: number;
  readonly cap_bytes: number;
  readonly leases: number;
  readonly granted: number;
  readonly denied: number;
  readonly reaped: number;
  readonly holders: readonly {
    readonly holder: string;
    readonly bytes: number;
    readonly leases: number;
  }[];
}
