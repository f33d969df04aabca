import { type Tracer, trace } from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { BatchSpanProcessor, type SpanProcessor } from '@opentelemetry/sdk-trace-base';
import { NodeTracerProvider } from '@opentelemetry/sdk-trace-node';
import { ATTR_SERVICE_NAME } from '@opentelemetry/semantic-conventions';
import { SpanFileExporter } from './span-file-exporter.ts';

export interface TelemetrySettings {
  readonly service: string;
  readonly instance: string;
  /** Base address of an OTLP/HTTP collector, '' for none. */
  readonly otlpEndpoint: string;
  /** File for one JSON line per span, '' for none. */
  readonly spanFile: string;
}

export interface Telemetry {
  readonly tracer: Tracer;
  /** Sends what is buffered. */
  shutdown(): Promise<void>;
}

/** Without a collector or a file nothing of the SDK runs and spans are no-ops. */
export function startTelemetry(settings: TelemetrySettings): Telemetry {
  const processors: SpanProcessor[] = [];
  if (settings.otlpEndpoint !== '') {
    const url = `${settings.otlpEndpoint.replace(/\/$/, '')}/v1/traces`;
    processors.push(new BatchSpanProcessor(new OTLPTraceExporter({ url })));
  }
  if (settings.spanFile !== '') {
    const exporter = new SpanFileExporter(settings.spanFile);
    processors.push(new BatchSpanProcessor(exporter, { scheduledDelayMillis: 500 }));
  }
  if (processors.length === 0) {
    return { tracer: trace.getTracer('cuzk'), shutdown: async () => {} };
  }
  const provider = new NodeTracerProvider({
    resource: resourceFromAttributes({
      [ATTR_SERVICE_NAME]: settings.service,
      'service.instance.id': settings.instance,
    }),
    spanProcessors: processors,
  });
  return { tracer: provider.getTracer('cuzk'), shutdown: () => provider.shutdown() };
}
