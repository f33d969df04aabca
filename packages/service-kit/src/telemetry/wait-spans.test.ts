import { InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base';
import { NodeTracerProvider } from '@opentelemetry/sdk-trace-node';
import { expect, it } from 'vitest';
import { refuseC1 } from '../record/changes.ts';
import { createOrJoinProof } from '../record/create-proof.ts';
import { TestFleet } from '../testing/open-test-service.ts';
import { TestRedis } from '../testing/redis-server.ts';
import { mustClaim, newProof, only, SYNTH } from '../testing/sample-proof.ts';
import { writeWaitSpans, writeWaitsOfEnded } from './wait-spans.ts';

/** Spans take small numbers for offsets, not for Unix times. */
const BASE_MS = 1_700_000_000_000;
const PARENT = { traceId: 'a'.repeat(32), spanId: 'b'.repeat(16) };
const proof = { proofId: 'prf_x', traceparent: `00-${PARENT.traceId}-${PARENT.spanId}-01` };

function write(
  events: Parameters<typeof writeWaitSpans>[2],
  of: typeof proof | { proofId: string; traceparent: null } = proof,
) {
  const exporter = new InMemorySpanExporter();
  const provider = new NodeTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
  writeWaitSpans(provider.getTracer('test'), of, events);
  return exporter.getFinishedSpans();
}
const partition = (at: number, state: string) => ({
  at: BASE_MS + at,
  type: 'partition',
  data: { partition: 3, state },
});

it('waits become spans below the request, with their own times', () => {
  const events = [partition(1_000, 'synthesized'), partition(1_250, 'proving')];
  const [span, ...others] = write(events);
  expect(others).toEqual([]);
  expect(span).toMatchObject({
    name: 'cuzk.wait',
    startTime: [1_700_000_001, 0],
    endTime: [1_700_000_001, 250_000_000],
    parentSpanContext: { spanId: PARENT.spanId },
    attributes: { 'cuzk.proof': 'prf_x', 'cuzk.partition': 3, 'cuzk.waits_for': 'gpu' },
  });
});

it('of a partition that comes back a thousand times the eight longest waits are kept', () => {
  const events = Array.from({ length: 1_000 }, (_, i) => [
    partition(10_000 * i, 'synthesized'),
    partition(10_000 * i + i, 'proving'),
  ]).flat();
  const spans = write(events);
  expect(spans.map(({ duration }) => duration[1] / 1e6)).toEqual([
    992, 993, 994, 995, 996, 997, 998, 999,
  ]);
});

it('without a trace nothing is written', () => {
  const events = [partition(0, 'queued'), partition(5, 'synthesizing')];
  expect(write(events, { proofId: 'prf_x', traceparent: null })).toEqual([]);
});

it('the waits of a run are written once, however many workers find it ended', async () => {
  const server = await TestRedis.start();
  const fleet = new TestFleet(server.url);
  try {
    const { redis, telemetry } = await fleet.open('synth-worker');
    const exporter = new InMemorySpanExporter();
    const spanProcessors = [new SimpleSpanProcessor(exporter)];
    const tracer = new NodeTracerProvider({ spanProcessors }).getTracer('test');
    const worker = { redis, telemetry: { ...telemetry, tracer } };
    const created = await createOrJoinProof(redis, newProof({ traceparent: proof.traceparent }));
    const claim = await mustClaim(redis, only(created.next), SYNTH);
    await writeWaitsOfEnded(worker, created.proofId);
    expect(exporter.getFinishedSpans()).toEqual([]);
    const problem = { code: 'C1_INCONSISTENT', message: 'another replica' } as const;
    await refuseC1(redis, claim.fence, problem);
    await Promise.all([1, 2, 3].map(() => writeWaitsOfEnded(worker, created.proofId)));
    const waits = exporter.getFinishedSpans().map(({ attributes }) => attributes['cuzk.waits_for']);
    expect(waits).toEqual(['ingest']);
  } finally {
    await fleet.close();
    await server.stop();
  }
});
