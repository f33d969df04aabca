import { type ExportResult, ExportResultCode } from '@opentelemetry/core';
import { ProtobufMetricsSerializer } from '@opentelemetry/otlp-transformer';
import {
  AggregationTemporality,
  type PushMetricExporter,
  type ResourceMetrics,
} from '@opentelemetry/sdk-metrics';

export interface OtlpMetricOptions {
  /** Full address, ending in /v1/metrics. */
  readonly url: string;
  /** Sent on top, such as a login. */
  readonly headers: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  readonly onLost: (error: unknown) => void;
}

/**
 * Posts metrics to a collector (OTLP/HTTP, protobuf). One try an export: totals are cumulative, so that the next
 * export brings what this one did not.
 */
export function createOtlpMetricExporter(options: OtlpMetricOptions): PushMetricExporter {
  const post = async (metrics: ResourceMetrics): Promise<void> => {
    const body = ProtobufMetricsSerializer.serializeRequest(metrics);
    if (body === undefined) return;
    const response = await fetch(options.url, {
      method: 'POST',
      headers: { ...options.headers, 'content-type': 'application/x-protobuf' },
      body: Uint8Array.from(body),
      signal: AbortSignal.timeout(options.timeoutMs),
    });
    await response.arrayBuffer();
    if (!response.ok) throw new Error(`the collector answers ${response.status}`);
  };
  return {
    export(metrics: ResourceMetrics, done: (result: ExportResult) => void): void {
      post(metrics).then(
        () => done({ code: ExportResultCode.SUCCESS }),
        (error: unknown) => {
          options.onLost(error);
          done({ code: ExportResultCode.SUCCESS });
        },
      );
    },
    forceFlush: async () => {},
    shutdown: async () => {},
    selectAggregationTemporality: () => AggregationTemporality.CUMULATIVE,
  };
}
