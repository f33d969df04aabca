import { appendFile, mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { type ExportResult, ExportResultCode, hrTimeToMilliseconds } from '@opentelemetry/core';
import type { ReadableSpan, SpanExporter } from '@opentelemetry/sdk-trace-base';

/** Appends spans to a local file, one JSON object a line; makes its folder. */
export class SpanFileExporter implements SpanExporter {
  readonly #file: string;
  #tail: Promise<void> = Promise.resolve();

  constructor(file: string) {
    this.#file = file;
  }

  export(spans: ReadableSpan[], done: (result: ExportResult) => void): void {
    const lines = spans.map((span) => `${JSON.stringify(spanLine(span))}\n`).join('');
    this.#tail = this.#tail.then(async () => {
      await mkdir(dirname(this.#file), { recursive: true });
      await appendFile(this.#file, lines);
    });
    this.#tail.then(
      () => done({ code: ExportResultCode.SUCCESS }),
      (error: Error) => {
        this.#tail = Promise.resolve();
        done({ code: ExportResultCode.FAILED, error });
      },
    );
  }

  forceFlush(): Promise<void> {
    return this.#tail;
  }

  shutdown(): Promise<void> {
    return this.#tail;
  }
}

function spanLine(span: ReadableSpan): object {
  const { traceId, spanId } = span.spanContext();
  return {
    traceId,
    spanId,
    parentSpanId: span.parentSpanContext?.spanId ?? null,
    name: span.name,
    service: span.resource.attributes['service.name'],
    startMs: hrTimeToMilliseconds(span.startTime),
    endMs: hrTimeToMilliseconds(span.endTime),
    status: span.status.code,
    attributes: span.attributes,
  };
}
