import {
  type Context,
  INVALID_SPAN_CONTEXT,
  isSpanContextValid,
  ROOT_CONTEXT,
  type Span,
  SpanStatusCode,
  TraceFlags,
  type Tracer,
  trace,
} from '@opentelemetry/api';
import { parseTraceParent } from '@opentelemetry/core';
import type { PhaseTiming, Problem } from '../record/types.ts';

/** Phases of one attempt that become spans; a GPU proof has thirteen, a synthesis four. */
const PHASE_SPANS_MAX = 16;

/** The context a W3C `traceparent` names; the root context for none or a malformed one. */
export function contextOf(traceparent: string | null | undefined): Context {
  const parsed = traceparent ? parseTraceParent(traceparent) : null;
  return parsed ? trace.setSpanContext(ROOT_CONTEXT, { ...parsed, isRemote: true }) : ROOT_CONTEXT;
}

/** The `traceparent` that makes others children of this span, or null when nothing is recorded. */
export function traceparentOf(span: Span): string | null {
  const context = span.spanContext();
  if (!isSpanContextValid(context)) return null;
  const sampled = (context.traceFlags & TraceFlags.SAMPLED) === TraceFlags.SAMPLED;
  return `00-${context.traceId}-${context.spanId}-${sampled ? '01' : '00'}`;
}

/** The trace that a `traceparent` belongs to, 32 hex digits, or null. */
export const traceIdOf = (traceparent: string | null | undefined): string | null =>
  (traceparent ? parseTraceParent(traceparent)?.traceId : null) ?? null;

/**
 * A span that is not recorded and whose children join its parent: for work beyond the number of attempts that are
 * traced.
 */
export const untracedSpan = (context: Context): Span =>
  trace.wrapSpanContext(trace.getSpanContext(context) ?? INVALID_SPAN_CONTEXT);

/** Marks a span as failed, with the error code as `error.type`. */
export function setSpanError(span: Span, { code, message }: Problem): void {
  span.setAttribute('error.type', code);
  span.setStatus({ code: SpanStatusCode.ERROR, message });
}

/**
 * Writes measured phases as child spans with the times they had; a phase's parent must come before it. None below
 * a span that is not recorded. `cuzk.clock` says what measured a phase: the device, or the wall where the adapter
 * has no timestamps.
 */
export function writePhaseSpans(
  tracer: Tracer,
  parent: Span,
  phases: readonly PhaseTiming[],
): void {
  if (!parent.isRecording()) return;
  const stage = trace.setSpan(ROOT_CONTEXT, parent);
  const contexts = new Map<string, Context>();
  for (const phase of phases.slice(0, PHASE_SPANS_MAX)) {
    const context = (phase.parent && contexts.get(phase.parent)) || stage;
    const attributes = { 'cuzk.clock': phase.clock };
    const span = tracer.startSpan(phase.name, { startTime: phase.startMs, attributes }, context);
    contexts.set(phase.name, trace.setSpan(ROOT_CONTEXT, span));
    span.end(phase.startMs + phase.durationMs);
  }
}
