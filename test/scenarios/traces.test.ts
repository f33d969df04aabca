import { join } from 'node:path';
import { runCommandLine } from '@cuzk/cli/testing/run-program';
import { readGoldenCase } from '@cuzk/service-kit/testing/golden-case';
import { startGoldenProver } from '@cuzk/service-kit/testing/golden-prover';
import { eventually } from '@cuzk/service-kit/testing/open-test-service';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Collector, coveredMs, leavesOf, type ReceivedSpan } from './testing/collector.ts';
import { reaches, Scenario, submit } from './testing/service-processes.ts';

const GOLDEN = readGoldenCase('2KiB-V1_1-a');
const SECTOR = { miner: 'f01000', sector: '1' };
/** As long as a quick device takes: what lies between the stages must not count for much beside it. */
const PROVING_MS = 3_000;
const CLIENT = { traceId: 'c0ffee00c0ffee00c0ffee00c0ffee00', spanId: 'c0ffee00c0ffee00' };
let scenario: Scenario;
let collector: Collector;
const closing: (() => Promise<void>)[] = [];

beforeEach(async () => {
  scenario = await Scenario.open();
  collector = await Collector.start(join(scenario.folder, 'received.jsonl'));
});
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
  await scenario.close();
  await collector.stop();
});

/** API and synth-worker as processes and a prover here: three tracers, one collector. */
async function startAll(): Promise<void> {
  const settings = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint };
  await scenario.start('api', 'node-a', settings);
  await scenario.start('synth-worker', 'node-a', settings);
  const service = await scenario.join('gpu-worker', 'gpu-a', collector.endpoint);
  const stage = await startGoldenProver(service, { workMs: PROVING_MS });
  closing.push(() => stage.drain());
}

async function post(traceparent?: string): Promise<Response> {
  const query = new URLSearchParams(SECTOR);
  return fetch(`${scenario.url}/v1/proofs?${query}`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...(traceparent === undefined ? {} : { traceparent }),
    },
    body: Buffer.from(GOLDEN.c1),
  });
}

/** The spans of a trace once those of every process are there. */
const traceOf = (traceId: string, ...awaited: string[]): Promise<ReceivedSpan[]> =>
  eventually(() => {
    const spans = collector.spans().filter((span) => span.traceId === traceId);
    const names = new Set(spans.map(({ name }) => name));
    return awaited.every((name) => names.has(name)) ? spans : null;
  }, 15_000);

describe('a trace', () => {
  it('is one from the request over all processes, without orphans, and its leaves cover the time', async () => {
    await startAll();
    await fetch(`${scenario.url}/healthz`); // The first connection of this process takes a while.
    // An unsampled parent: nothing is sampled away all the same.
    const postedAt = Date.now();
    const response = await post(`00-${CLIENT.traceId}-${CLIENT.spanId}-00`);
    expect(response.headers.get('x-cuzk-trace-id')).toBe(CLIENT.traceId);
    const { proofId } = (await response.json()) as { proofId: string };
    const proof = await reaches(scenario.url, proofId, ['succeeded']);
    expect(proof.traceId).toBe(CLIENT.traceId);
    const endedAt = Date.parse(String(proof.endedAt));

    const spans = await traceOf(CLIENT.traceId, 'cuzk.accepted', 'cuzk.prove', 'cuzk.finalize');
    expect(new Set(spans.map(({ service }) => service))).toEqual(
      new Set(['cuzk-api', 'cuzk-synth-worker', 'cuzk-gpu-worker']),
    );
    const ids = new Set([CLIENT.spanId, ...spans.map(({ spanId }) => spanId)]);
    const orphans = spans.filter(({ parentSpanId }) => !ids.has(parentSpanId ?? ''));
    expect(orphans).toEqual([]);
    const names = spans.map(({ name }) => name);
    for (const name of ['accepted', 'ingest', 'synthesize', 'prove', 'finalize']) {
      expect(names.filter((found) => found === `cuzk.${name}`)).toHaveLength(1);
    }
    expect(
      spans.every(
        ({ attributes }) => attributes['cuzk.proof'] === proofId || 'cuzk.clock' in attributes,
      ),
    ).toBe(true);
    expect(spans.filter(({ statusCode }) => statusCode === 2)).toEqual([]);
    const waits = spans.flatMap(({ attributes }) => attributes['cuzk.waits_for'] ?? []);
    expect(waits.toSorted()).toEqual(['dispatch', 'finalize', 'gpu', 'ingest', 'synthesis slot']);

    const share = coveredMs(leavesOf(spans), postedAt, endedAt) / (endedAt - postedAt);
    console.log(
      `${spans.length} spans, leaves cover ${(100 * share).toFixed(1)} % of ${endedAt - postedAt} ms`,
    );
    expect(share).toBeGreaterThan(0.95);
    expect(spans.length).toBeLessThanOrEqual(40);
  });

  it('is told by the record as well, without any collector', async () => {
    await startAll();
    const { proofId } = (await (await post()).json()) as { proofId: string };
    await reaches(scenario.url, proofId, ['succeeded']);
    const trace = async (...options: string[]) => {
      const { stdout, exitCode } = await runCommandLine([
        'trace',
        proofId,
        '--url',
        scenario.url,
        ...options,
      ]);
      expect(exitCode).toBe(0);
      return stdout;
    };
    const waterfall = await trace();
    console.log(waterfall);
    for (const name of [
      'wait for ingest',
      'synthesize.fill',
      'wait for gpu',
      'prove',
      'finalize',
    ]) {
      expect(waterfall).toContain(name);
    }
    const timing = await trace('--format', 'cuzk-timing');
    expect(timing).toMatch(
      new RegExp(
        `^TIMELINE,\\d+,GPU_END,${proofId},worker=gpu-worker/gpu-a/0,partition=0,gpu_ms=\\d+$`,
        'm',
      ),
    );
    const { traceEvents } = JSON.parse(await trace('--format', 'chrome')) as {
      traceEvents: object[];
    };
    expect(traceEvents.length).toBeGreaterThan(10);
  });

  it('shows its beginning while the work goes on', async () => {
    const settings = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint };
    await scenario.start('api', 'node-a', { ...settings, INGEST_WAIT_MS: '0' });
    const response = await post();
    const traceId = response.headers.get('x-cuzk-trace-id') ?? '';
    const [accepted] = await traceOf(traceId, 'cuzk.accepted');
    expect(accepted).toMatchObject({ parentSpanId: null, service: 'cuzk-api', statusCode: 0 });
  });

  it('of a C1 that is refused ends in an error with its code, in the header too', async () => {
    await startAll();
    const response = await fetch(`${scenario.url}/v1/proofs?miner=f01000&sector=1`, {
      method: 'POST',
      body: '{"registered_proof":"StackedDrg2KiBV1_1","vanilla_proofs":{"Nonsense":[]}}',
    });
    expect(response.status).toBe(422);
    const traceId = response.headers.get('x-cuzk-trace-id') ?? '';
    const [span] = await traceOf(traceId, 'cuzk.accepted');
    expect(span).toMatchObject({ statusCode: 2, attributes: { 'error.type': 'C1_UNSUPPORTED' } });

    const { body } = await submit(scenario.url, GOLDEN.c1, { miner: 'f01000', sector: '2' });
    const failed = await eventually(() =>
      collector.spans().find(({ name, statusCode }) => name === 'cuzk.ingest' && statusCode === 2),
    );
    expect(failed.attributes).toMatchObject({
      'error.type': 'C1_INCONSISTENT',
      'cuzk.proof': body.proofId,
    });
  });

  it('brings metrics to the same collector', async () => {
    await startAll();
    const names = await eventually(() => {
      const found = collector.metricNames();
      return found.has('cuzk_queue_jobs') && found.has('cuzk_memory_resident_bytes') ? found : null;
    }, 40_000);
    expect([...names].every((name) => name.startsWith('cuzk_'))).toBe(true);
  });
});
