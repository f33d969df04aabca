import { type Span, trace } from '@opentelemetry/api';
import type { Logger } from '../logger.ts';
import type { Service } from '../open-service.ts';
import type { Claim } from '../record/types.ts';
import { SPANS } from '../telemetry/span-names.ts';
import { contextOf, untracedSpan } from '../telemetry/trace-context.ts';

/** Attempts of a unit that get a span; a proof's trace stays small however often its work is repeated. */
const TRACED_ATTEMPTS_MAX = 8;

/** The span of an attempt in the trace of its request, and a logger that names both. */
export function observeAttempt(
  { identity, logger, telemetry }: Service,
  { fence, traceparent }: Claim,
): { readonly span: Span; readonly logger: Logger } {
  const { proofId, partition, attempt, stage } = fence;
  const attributes = {
    'cuzk.proof': proofId,
    'cuzk.run': fence.run,
    ...(partition === null ? {} : { 'cuzk.partition': partition }),
    'cuzk.attempt': attempt,
    'cuzk.worker': identity.name,
  };
  const context = contextOf(traceparent);
  const span =
    attempt > TRACED_ATTEMPTS_MAX
      ? untracedSpan(context)
      : telemetry.tracer.startSpan(SPANS[stage], { attributes }, context);
  const own = span.spanContext();
  const traceIds = trace.isSpanContextValid(own)
    ? { trace_id: own.traceId, span_id: own.spanId }
    : {};
  return { span, logger: logger.child({ proofId, partition, attempt, stage, ...traceIds }) };
}
