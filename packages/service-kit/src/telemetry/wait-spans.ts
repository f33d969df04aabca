import type { Tracer } from '@opentelemetry/api';
import type { PartitionRecord, PartitionState, ProofRecord } from '../record/types.ts';
import { SPANS } from './span-names.ts';
import { contextOf } from './trace-context.ts';

/** What a partition waits for between these two states. */
const WAITS: readonly (readonly [string, PartitionState, PartitionState])[] = [
  ['dispatch', 'pending', 'queued'],
  ['synthesis slot', 'queued', 'synthesizing'],
  ['gpu', 'synthesized', 'proving'],
];

/** Writes the times a proof's partitions waited, as the record has them, into its trace. */
export function writeWaitSpans(tracer: Tracer, proof: ProofRecord): void {
  if (!proof.traceparent) return;
  const context = contextOf(proof.traceparent);
  for (const partition of proof.partitions) {
    for (const [what, from, to] of WAITS) {
      const wait = waitOf(partition, from, to);
      if (!wait) continue;
      const attributes = {
        'cuzk.proof': proof.proofId,
        'cuzk.partition': partition.index,
        'cuzk.waits_for': what,
      };
      tracer.startSpan(SPANS.wait, { startTime: wait.start, attributes }, context).end(wait.end);
    }
  }
}

function waitOf({ enteredAt }: PartitionRecord, from: PartitionState, to: PartitionState) {
  const start = enteredAt[from];
  const end = enteredAt[to];
  return start !== undefined && end !== undefined && end >= start ? { start, end } : null;
}
