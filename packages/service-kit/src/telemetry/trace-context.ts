import {
  type Context,
  isSpanContextValid,
  ROOT_CONTEXT,
  type Span,
  TraceFlags,
  type Tracer,
  trace,
} from '@opentelemetry/api';
import { parseTraceParent } from '@opentelemetry/core';
import type { PhaseTiming } from '../record/types.ts';

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

/** Writes measured phases as child spans with the times they had; a phase's parent must come before it. */
export function writePhaseSpans(
  tracer: Tracer,
  parent: Span,
  phases: readonly PhaseTiming[],
): void {
  const stage = trace.setSpan(ROOT_CONTEXT, parent);
  const contexts = new Map<string, Context>();
  for (const phase of phases) {
    const context = (phase.parent && contexts.get(phase.parent)) || stage;
    const attributes = { 'cuzk.clock': phase.clock };
    const span = tracer.startSpan(phase.name, { startTime: phase.startMs, attributes }, context);
    contexts.set(phase.name, trace.setSpan(ROOT_CONTEXT, span));
    span.end(phase.startMs + phase.durationMs);
  }
}
