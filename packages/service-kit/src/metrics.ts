import type { Attributes, Meter, Observable, ObservableResult } from '@opentelemetry/api';
import { PrometheusExporter, PrometheusSerializer } from '@opentelemetry/exporter-prometheus';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { MeterProvider, type MetricReader } from '@opentelemetry/sdk-metrics';
import { ATTR_SERVICE_INSTANCE_ID, ATTR_SERVICE_NAME } from '@opentelemetry/semantic-conventions';
import { type LabelsOf, METRICS, type MetricName, type NameOf, namesOf } from './metric-names.ts';

/** Seconds; proofs take from milliseconds (finalize) to minutes (a software GPU). */
const BUCKETS = [0.005, 0.02, 0.1, 0.5, 1, 2, 5, 10, 20, 40, 80, 160, 320, 640];

/** A reading of metrics takes no longer; Prometheus waits for ten seconds. */
const READ_MS = 2_000;

/** Label sets a metric may have. Ours have a few dozen; what is above is added up in one that says "overflow". */
const SERIES_MAX = 200;

/** Reports one value of a metric that is read at each scrape. */
export type Observe<Name extends MetricName> = (value: number, labels: LabelsOf<Name>) => void;

export interface Metrics {
  count<Name extends NameOf<'counter'>>(name: Name, labels: LabelsOf<Name>, by?: number): void;
  observeSeconds<Name extends NameOf<'histogram'>>(
    name: Name,
    seconds: number,
    labels: LabelsOf<Name>,
  ): void;
  /** `read` is called at every scrape. Several readers of one metric add up, each with labels of its own. */
  observe<Name extends NameOf<'gauge' | 'total' | 'upDown'>>(
    name: Name,
    read: (observe: Observe<Name>) => void | Promise<void>,
  ): void;
  /** Prometheus text of everything so far. */
  text(): Promise<string>;
  shutdown(): Promise<void>;
}

/** One registry per process. `readers` push the same metrics elsewhere. */
export function createMetrics(
  service: string,
  instance: string,
  readers: readonly MetricReader[] = [],
): Metrics {
  const scrape = new PrometheusExporter({ preventServerStart: true });
  const provider = new MeterProvider({
    resource: resourceFromAttributes({
      [ATTR_SERVICE_NAME]: service,
      [ATTR_SERVICE_INSTANCE_ID]: instance,
    }),
    readers: [scrape, ...readers],
    views: [{ instrumentName: '*', aggregationCardinalityLimit: SERIES_MAX }],
  });
  const meter: Meter = provider.getMeter('cuzk');
  const options = (name: MetricName) => ({
    description: METRICS[name].help,
    unit: METRICS[name].unit,
  });
  const counters = new Map(
    namesOf('counter').map((name) => [name, meter.createCounter(name, options(name))]),
  );
  const histograms = new Map(
    namesOf('histogram').map((name) => [
      name,
      meter.createHistogram(name, {
        ...options(name),
        advice: { explicitBucketBoundaries: BUCKETS },
      }),
    ]),
  );
  const observables = new Map<MetricName, Observable>([
    ...namesOf('gauge').map(
      (name) => [name, meter.createObservableGauge(name, options(name))] as const,
    ),
    ...namesOf('total').map(
      (name) => [name, meter.createObservableCounter(name, options(name))] as const,
    ),
    ...namesOf('upDown').map(
      (name) => [name, meter.createObservableUpDownCounter(name, options(name))] as const,
    ),
  ]);
  // The scope is the same everywhere: a label without information.
  const serializer = new PrometheusSerializer(undefined, false, undefined, false, true);
  return {
    count: (name, labels, by = 1) => counters.get(name)?.add(by, labels as Attributes),
    observeSeconds: (name, seconds, labels) =>
      histograms.get(name)?.record(seconds, labels as Attributes),
    observe: (name, read) =>
      observables
        .get(name)
        ?.addCallback((result: ObservableResult) =>
          read((value, labels) => result.observe(value, labels as Attributes)),
        ),
    // What does not answer in time (Redis is away) is left out, and the rest told.
    text: async () =>
      serializer.serialize((await scrape.collect({ timeoutMillis: READ_MS })).resourceMetrics),
    shutdown: () => provider.shutdown(),
  };
}
