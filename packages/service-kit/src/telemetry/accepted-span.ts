import { type Span, SpanKind, type Tracer } from '@opentelemetry/api';
import { SPANS } from './span-names.ts';
import { contextOf } from './trace-context.ts';

export interface AcceptedRequest {
  readonly proofId: string;
  /** Unix ms at which it came in. */
  readonly startMs: number;
  readonly method: string;
  /** Pattern of the route. */
  readonly route: string;
  /** The client's own context, when it sent one. */
  readonly traceparent: string | undefined;
}

/** From the request until its record is written: the parent of everything that is done for the proof. */
export function startAcceptedSpan(tracer: Tracer, request: AcceptedRequest): Span {
  const attributes = {
    'cuzk.proof': request.proofId,
    'http.request.method': request.method,
    'http.route': request.route,
  };
  const context = contextOf(request.traceparent);
  const options = { kind: SpanKind.SERVER, attributes, startTime: request.startMs };
  return tracer.startSpan(SPANS.accepted, options, context);
}
