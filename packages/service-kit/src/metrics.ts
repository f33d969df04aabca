import type { Attributes, Meter, ObservableResult } from '@opentelemetry/api';
import { PrometheusExporter, PrometheusSerializer } from '@opentelemetry/exporter-prometheus';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { MeterProvider } from '@opentelemetry/sdk-metrics';
import { ATTR_SERVICE_NAME } from '@opentelemetry/semantic-conventions';

interface Definition {
  readonly kind: 'counter' | 'histogram' | 'gauge';
  readonly help: string;
  readonly labels: readonly string[];
}

const define = <Kind extends Definition['kind']>(
  kind: Kind,
  help: string,
  ...labels: string[]
) => ({
  kind,
  help,
  labels,
});

/** Every metric of the product. Units are in the names; labels have few values (no ids). */
export const METRICS = {
  cuzk_stage_duration_seconds: define(
    'histogram',
    'Time one attempt of a stage took',
    'stage',
    'outcome',
  ),
  cuzk_stage_wait_seconds: define('histogram', 'Time a unit waited for a worker', 'stage'),
  cuzk_failures: define('counter', 'Failed attempts by error code', 'stage', 'code'),
  cuzk_self_check_failures: define('counter', 'Proofs the verifier refused', 'stage'),
  cuzk_proofs_ended: define('gauge', 'Runs that ended so far, by state', 'state'),
  cuzk_units_requeued: define('counter', 'Units taken from silent owners', 'stage'),
  cuzk_units_refused: define('counter', 'Jobs that were not handed out', 'stage', 'reason'),
  cuzk_queue_jobs: define('gauge', 'Jobs in a queue by state', 'queue', 'state'),
  cuzk_proofs_live: define('gauge', 'Proofs that have not ended'),
  cuzk_partitions_pending: define('gauge', 'Partitions that wait for dispatch'),
  cuzk_permit_used_bytes: define('gauge', 'Bytes leased from a pool', 'pool'),
  cuzk_permit_cap_bytes: define('gauge', 'Most bytes a pool leases', 'pool'),
  cuzk_permit_denied: define('gauge', 'Requests a pool denied so far', 'pool'),
  cuzk_permit_reaped: define('gauge', 'Leases a pool took back so far', 'pool'),
  cuzk_http_request_duration_seconds: define(
    'histogram',
    'Time to answer',
    'route',
    'method',
    'status',
  ),
  cuzk_phase_duration_seconds: define(
    'histogram',
    'Time of one phase of proving',
    'phase',
    'clock',
  ),
  cuzk_gpu_busy_seconds: define('counter', 'Time the device was busy with partitions', 'adapter'),
  cuzk_gpu_memory_bytes: define('gauge', 'Bytes allocated on the device', 'adapter', 'class'),
  cuzk_buffers_in_flight_bytes: define('gauge', 'Bytes held between stages', 'class', 'stage'),
  cuzk_memory_resident_bytes: define('gauge', 'Resident memory of this process'),
} as const satisfies Record<string, Definition>;

export type MetricName = keyof typeof METRICS;
type NameOf<Kind extends Definition['kind']> = {
  [Name in MetricName]: (typeof METRICS)[Name]['kind'] extends Kind ? Name : never;
}[MetricName];

/** Seconds; proofs take from milliseconds (finalize) to minutes (a software GPU). */
const BUCKETS = [0.005, 0.02, 0.1, 0.5, 1, 2, 5, 10, 20, 40, 80, 160, 320, 640];

export interface Metrics {
  count(name: NameOf<'counter'>, labels?: Attributes, by?: number): void;
  observeSeconds(name: NameOf<'histogram'>, seconds: number, labels?: Attributes): void;
  /** `read` is called at every scrape. */
  gauge(name: NameOf<'gauge'>, read: (result: ObservableResult) => void | Promise<void>): void;
  /** Prometheus text of everything so far. */
  text(): Promise<string>;
  shutdown(): Promise<void>;
}

/** One registry per process. */
export function createMetrics(service: string): Metrics {
  const reader = new PrometheusExporter({ preventServerStart: true });
  const resource = resourceFromAttributes({ [ATTR_SERVICE_NAME]: service });
  const provider = new MeterProvider({ resource, readers: [reader] });
  const meter: Meter = provider.getMeter('cuzk');
  const counters = new Map(
    namesOf('counter').map((name) => [
      name,
      meter.createCounter(name, { description: METRICS[name].help }),
    ]),
  );
  const histograms = new Map(
    namesOf('histogram').map((name) => [
      name,
      meter.createHistogram(name, {
        description: METRICS[name].help,
        advice: { explicitBucketBoundaries: BUCKETS },
      }),
    ]),
  );
  const serializer = new PrometheusSerializer();
  return {
    count: (name, labels = {}, by = 1) => counters.get(name)?.add(by, labels),
    observeSeconds: (name, seconds, labels = {}) => histograms.get(name)?.record(seconds, labels),
    gauge: (name, read) =>
      meter.createObservableGauge(name, { description: METRICS[name].help }).addCallback(read),
    text: async () => serializer.serialize((await reader.collect()).resourceMetrics),
    shutdown: () => provider.shutdown(),
  };
}

function namesOf<Kind extends Definition['kind']>(kind: Kind): NameOf<Kind>[] {
  const names = Object.keys(METRICS) as MetricName[];
  return names.filter((name) => METRICS[name].kind === kind) as NameOf<Kind>[];
}
