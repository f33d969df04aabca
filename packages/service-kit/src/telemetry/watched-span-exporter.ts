import { type ExportResult, ExportResultCode } from '@opentelemetry/core';
import type { ReadableSpan, SpanExporter } from '@opentelemetry/sdk-trace-base';

/** Passes spans on and reports those that were not taken; a collector never holds work up. */
export class WatchedSpanExporter implements SpanExporter {
  readonly #inner: SpanExporter;
  readonly #onLost: (spans: number, error: unknown) => void;

  constructor(inner: SpanExporter, onLost: (spans: number, error: unknown) => void) {
    this.#inner = inner;
    this.#onLost = onLost;
  }

  export(spans: ReadableSpan[], done: (result: ExportResult) => void): void {
    this.#inner.export(spans, (result) => {
      if (result.code !== ExportResultCode.SUCCESS) this.#onLost(spans.length, result.error);
      // A failure that is counted here needs no second report by the batch processor.
      done({ code: ExportResultCode.SUCCESS });
    });
  }

  async forceFlush(): Promise<void> {
    await this.#inner.forceFlush?.();
  }

  shutdown(): Promise<void> {
    return this.#inner.shutdown();
  }
}
