import type { Tracer } from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { type MetricReader, PeriodicExportingMetricReader } from '@opentelemetry/sdk-metrics';
import {
  AlwaysOnSampler,
  BatchSpanProcessor,
  type SpanProcessor,
} from '@opentelemetry/sdk-trace-base';
import { NodeTracerProvider } from '@opentelemetry/sdk-trace-node';
import { ATTR_SERVICE_INSTANCE_ID, ATTR_SERVICE_NAME } from '@opentelemetry/semantic-conventions';
import { within } from '../within.ts';
import { createOtlpMetricExporter } from './otlp-metric-exporter.ts';
import { SpanFileExporter } from './span-file-exporter.ts';
import { WatchedSpanExporter } from './watched-span-exporter.ts';

export interface TelemetrySettings {
  readonly service: string;
  readonly instance: string;
  /** Base address of an OTLP/HTTP collector, '' for none. */
  readonly otlpEndpoint: string;
  /** File for one JSON line per span, '' for none. */
  readonly spanFile: string;
}

/** What could not be delivered: how many spans, or one export of all metrics. */
export type OnLost = (signal: 'spans' | 'metrics', items: number, error: unknown) => void;

export interface Telemetry {
  readonly tracer: Tracer;
  /** Starts sending what is buffered; does not wait for it. */
  flush(): void;
  /** Sends what is buffered, and gives up on a collector that does not take it within three seconds. */
  shutdown(): Promise<void>;
}

/** Spans that wait for the collector, in this process; what comes on top while it is away is dropped. */
const BUFFERED_SPANS = 2048;
const BATCH_SPANS = 256;
/** A trace is looked at while its proof runs: spans do not wait long for others. */
const SEND_AFTER_MS = 1_000;
/** With all retries. Spans of a collector that takes longer are lost, not kept. */
const COLLECTOR_TIMEOUT_MS = 5_000;
/** Exports under way at once; further ones are refused and counted as lost. */
const EXPORTS_AT_ONCE = 4;
const METRICS_EVERY_MS = 15_000;
const SHUTDOWN_MS = 3_000;
/** Bounds of one span, whatever an error text or an attribute brings. */
const SPAN_LIMITS = {
  attributeCountLimit: 32,
  attributeValueLengthLimit: 1024,
  eventCountLimit: 8,
  linkCountLimit: 4,
};

/**
 * Where a signal goes. A login in the address travels as a header: as part of it, it would be refused and be in errors.
 */
function destinationOf(
  endpoint: string,
  signal: string,
): { readonly url: string; readonly headers: Record<string, string> } {
  const address = new URL(`${endpoint.replace(/\/$/, '')}/v1/${signal}`);
  const { username, password } = address;
  address.username = '';
  address.password = '';
  const login = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  const headers = { authorization: `Basic ${Buffer.from(login).toString('base64')}` };
  return { url: address.href, headers: login === ':' ? {} : headers };
}

function spanProcessors(settings: TelemetrySettings, onLost: OnLost): SpanProcessor[] {
  const processors: SpanProcessor[] = [];
  const report = (spans: number, error: unknown) => onLost('spans', spans, error);
  if (settings.otlpEndpoint !== '') {
    const exporter = new OTLPTraceExporter({
      ...destinationOf(settings.otlpEndpoint, 'traces'),
      timeoutMillis: COLLECTOR_TIMEOUT_MS,
      concurrencyLimit: EXPORTS_AT_ONCE,
    });
    processors.push(
      new BatchSpanProcessor(new WatchedSpanExporter(exporter, report), {
        maxQueueSize: BUFFERED_SPANS,
        maxExportBatchSize: BATCH_SPANS,
        scheduledDelayMillis: SEND_AFTER_MS,
        exportTimeoutMillis: 2 * COLLECTOR_TIMEOUT_MS,
      }),
    );
  }
  if (settings.spanFile !== '') {
    const exporter = new WatchedSpanExporter(new SpanFileExporter(settings.spanFile), report);
    processors.push(new BatchSpanProcessor(exporter, { scheduledDelayMillis: SEND_AFTER_MS / 2 }));
  }
  return processors;
}

/**
 * The tracer of a process. Without a collector or a file spans go nowhere, but still have ids: records and log
 * lines of one proof carry the same trace id. Nothing is sampled away, whatever flags a client sends.
 */
export function startTelemetry(settings: TelemetrySettings, onLost: OnLost): Telemetry {
  const provider = new NodeTracerProvider({
    sampler: new AlwaysOnSampler(),
    spanLimits: SPAN_LIMITS,
    resource: resourceFromAttributes({
      [ATTR_SERVICE_NAME]: settings.service,
      [ATTR_SERVICE_INSTANCE_ID]: settings.instance,
    }),
    spanProcessors: spanProcessors(settings, onLost),
  });
  return {
    tracer: provider.getTracer('cuzk'),
    flush: () => void provider.forceFlush().catch(() => {}),
    shutdown: () => within(provider.shutdown(), SHUTDOWN_MS),
  };
}

/** Pushes metrics to the collector; none without one. */
export function metricReaders(settings: TelemetrySettings, onLost: OnLost): MetricReader[] {
  if (settings.otlpEndpoint === '') return [];
  const exporter = createOtlpMetricExporter({
    ...destinationOf(settings.otlpEndpoint, 'metrics'),
    timeoutMs: COLLECTOR_TIMEOUT_MS,
    onLost: (error) => onLost('metrics', 1, error),
  });
  return [new PeriodicExportingMetricReader({ exporter, exportIntervalMillis: METRICS_EVERY_MS })];
}
