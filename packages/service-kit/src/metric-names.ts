/** What a metric is: how it counts, in which unit (UCUM), what it says, and which labels it has. */
export interface MetricDefinition {
  readonly kind: 'counter' | 'histogram' | 'gauge' | 'total' | 'upDown';
  readonly unit: string;
  readonly help: string;
  readonly labels: readonly string[];
}

const define = <const Kind extends MetricDefinition['kind'], const Labels extends string[]>(
  kind: Kind,
  unit: string,
  help: string,
  ...labels: Labels
) => ({ kind, unit, help, labels });

/**
 * Every metric of the product. `counter` and `histogram` are fed by events, the others are read at each scrape:
 * `gauge` is a level, `total` a count that is kept elsewhere, `upDown` a count of what is held now. Units are in
 * the names. Labels have few values: never a proof, a job or a process id. In Prometheus, counters and totals
 * end in `_total`, histograms in `_bucket`, `_sum` and `_count`.
 */
export const METRICS = {
  cuzk_stage_duration_seconds: define(
    'histogram',
    's',
    'Time one attempt of a stage took',
    'stage',
    'outcome',
  ),
  cuzk_stage_wait_seconds: define('histogram', 's', 'Time a unit waited for a worker', 'stage'),
  cuzk_stage_units_running: define('upDown', '{unit}', 'Units this process works on now', 'stage'),
  cuzk_failures: define('counter', '{attempt}', 'Failed attempts by error code', 'stage', 'code'),
  cuzk_self_check_failures: define(
    'counter',
    '{proof}',
    'Proofs that the verifier refused',
    'stage',
  ),
  cuzk_units_requeued: define('counter', '{unit}', 'Units taken from silent owners', 'stage'),
  cuzk_units_refused: define(
    'counter',
    '{job}',
    'Jobs that were not handed out',
    'stage',
    'reason',
  ),
  cuzk_proofs_live: define('gauge', '{proof}', 'Proofs that have not ended'),
  cuzk_proofs_ended: define('total', '{run}', 'Runs that have ended, by state', 'state'),
  cuzk_partitions_pending: define('gauge', '{partition}', 'Partitions that wait for dispatch'),
  cuzk_queue_jobs: define('gauge', '{job}', 'Jobs in a queue by state', 'queue', 'state'),
  cuzk_queue_oldest_seconds: define(
    'gauge',
    's',
    'How long the unit that waits longest has waited',
    'stage',
  ),
  cuzk_workers: define(
    'gauge',
    '{process}',
    'Worker processes by what they can do',
    'role',
    'state',
  ),
  cuzk_autoscale_workers: define(
    'gauge',
    '{process}',
    'Workers that would drain the pending work within the horizon',
    'role',
  ),
  cuzk_permit_used_bytes: define('gauge', 'By', 'Bytes leased from a pool', 'pool'),
  cuzk_permit_cap_bytes: define('gauge', 'By', 'Most bytes that a pool leases', 'pool'),
  cuzk_permit_granted: define('total', '{lease}', 'Leases that a pool granted', 'pool'),
  cuzk_permit_denied: define('total', '{request}', 'Requests that a pool denied', 'pool'),
  cuzk_permit_reaped: define(
    'total',
    '{lease}',
    'Leases that a pool took back because nobody renewed them',
    'pool',
  ),
  cuzk_http_request_duration_seconds: define(
    'histogram',
    's',
    'Time to answer a request',
    'route',
    'method',
    'status',
  ),
  cuzk_phase_duration_seconds: define(
    'histogram',
    's',
    'Time of one phase of a stage; the clock is the device or the wall',
    'phase',
    'clock',
  ),
  cuzk_gpu_busy_seconds: define(
    'counter',
    's',
    'Time the device was busy with partitions',
    'adapter',
  ),
  cuzk_gpu_submits: define('counter', '{submit}', 'Command buffers given to the device', 'adapter'),
  cuzk_gpu_memory_bytes: define(
    'gauge',
    'By',
    'Bytes allocated on the device by buffer class',
    'adapter',
    'class',
  ),
  cuzk_gpu_restarts: define('counter', '{process}', 'Device processes that ended unasked'),
  cuzk_srs_state: define(
    'gauge',
    '1',
    'One for the state that the parameters of a sector size are in',
    'sector',
    'state',
  ),
  cuzk_buffers_in_flight: define(
    'upDown',
    '{buffer}',
    'Buffers held by this process, by class and stage',
    'class',
    'stage',
  ),
  cuzk_buffers_in_flight_bytes: define(
    'upDown',
    'By',
    'Bytes of the buffers held by this process',
    'class',
    'stage',
  ),
  cuzk_memory_resident_bytes: define(
    'gauge',
    'By',
    'Resident memory of this process and of those it started',
    'process',
  ),
  cuzk_memory_proportional_bytes: define(
    'gauge',
    'By',
    'The same with shared pages divided among their users (PSS)',
    'process',
  ),
  cuzk_memory_swap_bytes: define('gauge', 'By', 'Swapped memory of these processes', 'process'),
  cuzk_event_loop_delay_seconds: define(
    'gauge',
    's',
    'Longest time the event loop was late since the last scrape',
  ),
  cuzk_telemetry_lost: define(
    'counter',
    '{item}',
    'Spans and metric exports that the collector did not take',
    'signal',
  ),
} as const satisfies Record<string, MetricDefinition>;

export type MetricName = keyof typeof METRICS;

/** Names of one kind. */
export type NameOf<Kind extends MetricDefinition['kind']> = {
  [Name in MetricName]: (typeof METRICS)[Name]['kind'] extends Kind ? Name : never;
}[MetricName];

/** The labels of a metric, all of them, and no others. */
export type LabelsOf<Name extends MetricName> = Readonly<
  Record<(typeof METRICS)[Name]['labels'][number], string | number>
>;

/** Names of one kind, in the order of the table. */
export function namesOf<Kind extends MetricDefinition['kind']>(kind: Kind): NameOf<Kind>[] {
  const names = Object.keys(METRICS) as MetricName[];
  return names.filter((name) => METRICS[name].kind === kind) as NameOf<Kind>[];
}

/** The series that Prometheus shows for a metric. */
export function seriesOf(name: MetricName): readonly string[] {
  const { kind } = METRICS[name];
  if (kind === 'histogram') return [`${name}_bucket`, `${name}_sum`, `${name}_count`];
  return kind === 'counter' || kind === 'total' ? [`${name}_total`] : [name];
}
