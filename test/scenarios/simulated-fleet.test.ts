import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { poolStatus, reapPermits } from '@cuzk/service-kit/permits/permits';
import { readPresence } from '@cuzk/service-kit/presence/presence';
import { cancelRun } from '@cuzk/service-kit/record/run-control';
import { eventually } from '@cuzk/service-kit/testing/open-test-service';
import { afterEach, describe, expect, it } from 'vitest';
import { Collector, type ReceivedSpan } from './testing/collector.ts';
import { SimulatedFleet, type SimulatedWorker } from './testing/simulated-fleet.ts';

const SLOW = process.env.SLOW === '1';
if (!SLOW) {
  console.log('skipped: throughput with and without telemetry takes two minutes: SLOW=1');
}
/** Runs without and with telemetry that are compared; an even number. */
const PAIRS = 6;
const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

async function openFleet(otlpEndpoint = ''): Promise<SimulatedFleet> {
  const fleet = await SimulatedFleet.open(otlpEndpoint);
  closing.push(() => fleet.close());
  return fleet;
}
async function startCollector(): Promise<Collector> {
  const collector = await Collector.start(
    join(mkdtempSync(join(tmpdir(), 'cuzk-collector-')), 'received.jsonl'),
  );
  closing.push(() => collector.stop());
  return collector;
}

describe('the simulated fleet', () => {
  it('has partitions of one proof overlap as the pipeline promises, in one trace without orphans', async () => {
    const collector = await startCollector();
    const fleet = await openFleet(collector.endpoint);
    const times = { partitions: 6, synthesizeMs: 300, proveMs: 300 };
    await fleet.start({ role: 'synth', node: 's', concurrency: 2, ...times });
    await fleet.start({ role: 'gpu', node: 'g', ...times });
    const proofId = await fleet.submit();
    await fleet.drain(1, 60_000);
    const spans = await eventually(() => {
      const own = collector.spans();
      return own.some(({ name }) => name === 'cuzk.finalize') &&
        own.filter(({ name }) => name === 'cuzk.prove').length === 6
        ? own
        : null;
    });
    expect(new Set(spans.map(({ traceId }) => traceId)).size).toBe(1);
    const ids = new Set(spans.map(({ spanId }) => spanId));
    const roots = spans.filter(({ parentSpanId }) => !ids.has(parentSpanId ?? ''));
    expect(roots.map(({ name, parentSpanId }) => [name, parentSpanId])).toEqual([
      ['cuzk.accepted', null],
    ]);

    const stage = (name: string) =>
      spans.filter((span) => span.name === name && span.attributes['cuzk.proof'] === proofId);
    const overlaps = (a: ReceivedSpan, b: ReceivedSpan) =>
      a.attributes['cuzk.partition'] !== b.attributes['cuzk.partition'] &&
      a.startMs < b.endMs &&
      b.startMs < a.endMs;
    const synthesis = stage('cuzk.synthesize');
    const proving = stage('cuzk.prove');
    // While one partition is on the device, others are synthesized, two at a time; the device has one at a time.
    expect(proving.some((a) => synthesis.some((b) => overlaps(a, b)))).toBe(true);
    expect(synthesis.some((a) => synthesis.some((b) => overlaps(a, b)))).toBe(true);
    expect(proving.some((a) => proving.some((b) => overlaps(a, b)))).toBe(false);
    for (const one of proving) {
      const total = spans.find(
        ({ name, parentSpanId }) => name === 'cuzk.gpu.total' && parentSpanId === one.spanId,
      );
      const phases = spans.filter(({ parentSpanId }) => parentSpanId === total?.spanId);
      const sum = phases.reduce((ms, { startMs, endMs }) => ms + endMs - startMs, 0);
      const whole = (total?.endMs ?? 0) - (total?.startMs ?? 0);
      expect(Math.abs(sum / whole - 1)).toBeLessThan(0.05);
    }
  });

  it.skipIf(!SLOW)('is not slowed down by telemetry', async () => {
    const collector = await startCollector();
    const run = async (endpoint: string): Promise<number> => {
      const fleet = await openFleet(endpoint);
      const times = { partitions: 2, synthesizeMs: 50, proveMs: 200 };
      await fleet.start({ role: 'synth', node: 's', concurrency: 4, ...times });
      await fleet.start({ role: 'gpu', node: 'g', ...times });
      for (let i = 0; i < 24; i++) await fleet.submit();
      await fleet.drain(2, 60_000);
      const startedAt = performance.now();
      await fleet.drain(22, 120_000);
      const seconds = (performance.now() - startedAt) / 1000;
      await closing.pop()?.();
      return seconds;
    };
    // Pairs side by side, each order as often: what else the machine does meets both.
    const pairs: { readonly off: number; readonly on: number }[] = [];
    for (let round = 0; round < PAIRS; round++) {
      const endpoints = ['', collector.endpoint];
      const [first = 0, second = 0] = [
        await run(endpoints[round % 2] ?? ''),
        await run(endpoints[1 - (round % 2)] ?? ''),
      ];
      pairs.push(round % 2 === 0 ? { off: first, on: second } : { off: second, on: first });
    }
    const ratios = pairs.map(({ on, off }) => on / off).toSorted((a, b) => a - b);
    const median = ((ratios[PAIRS / 2 - 1] ?? 0) + (ratios[PAIRS / 2] ?? 0)) / 2;
    const show = (list: number[]) => list.map((one) => one.toFixed(3)).join(' ');
    console.log(
      `20 proofs of two partitions: off ${show(pairs.map(({ off }) => off))} s, on ${show(pairs.map(({ on }) => on))} s; ` +
        `on / off ${show(ratios)}, median ${median.toFixed(4)}`,
    );
    expect(collector.spans().length).toBeGreaterThan(PAIRS * 20 * 2 * 13);
    expect(median - 1).toBeLessThan(0.02);
  });
});

/** Every series of a metric in a page, added up; NaN when there is none. */
function sumOf(page: string, metric: string): number {
  const values = [...page.matchAll(new RegExp(`^${metric}(?:\\{.*\\})? (\\S+)$`, 'gm'))].map(
    ([, value]) => Number(value),
  );
  return values.length === 0 ? Number.NaN : values.reduce((sum, value) => sum + value, 0);
}

/** Kills one worker and starts it again. */
async function killOne(fleet: SimulatedFleet): Promise<void> {
  const alive = fleet.workers.filter(({ running }) => running);
  const victim = alive[Math.floor(Math.random() * alive.length)] as SimulatedWorker;
  await victim.end('SIGKILL');
  await fleet.start(victim.settings);
}

/**
 * Sends proofs, never too many at once, cancels one of twenty while it runs, and kills a worker at one of thirty, so
 * that kills do not get fewer where proofs get faster. Returns the kills.
 */
async function submitMany(fleet: SimulatedFleet, proofs: number): Promise<number> {
  const { redis } = fleet.client;
  let kills = 0;
  for (let i = 0; i < proofs; i++) {
    const proofId = await fleet.submit();
    if (i % 20 === 7) setTimeout(() => void cancelRun(redis, proofId, 'cancelled'), 150);
    while ((await redis.zcard('{cuzk}:live')) > 60) await sleep(50);
    if (i % 30 !== 15) continue;
    await killOne(fleet);
    kills += 1;
  }
  return kills;
}

/** What the whole fleet shares: permits, queues, units that workers hold. */
async function expectNothingShared(
  { client }: SimulatedFleet,
  nodes: readonly string[],
): Promise<void> {
  const { redis, queues } = client;
  for (const pool of ['handoff', ...nodes.map((node) => `host:${node}`)]) {
    // Permits of a killed process run out after twenty seconds.
    await eventually(async () => {
      await reapPermits(redis, pool);
      const { usedBytes, leases } = await poolStatus(redis, pool);
      return usedBytes === 0 && leases === 0;
    }, 60_000);
  }
  expect(await redis.zcard('{cuzk}:pending')).toBe(0);
  expect(await redis.zcard('{cuzk}:live')).toBe(0);
  // Jobs of a killed worker stay active until their lock runs out.
  await eventually(async () => {
    const depths = (await queues.depths()).filter(({ queue }) => queue !== 'maintenance');
    return depths.every(({ waiting, active, delayed }) => waiting + active + delayed === 0);
  }, 90_000);
  await eventually(async () => {
    const workers = (await readPresence(redis)).filter(({ silent }) => !silent);
    return workers.every(({ holds }) => holds.length === 0);
  });
}

/** What each living process says that it holds. */
async function expectNothingHeld({ workers }: SimulatedFleet): Promise<void> {
  for (const worker of workers.filter(({ running }) => running)) {
    const page = await worker.metrics();
    for (const metric of HELD) {
      const sum = sumOf(page, metric);
      expect(Number.isNaN(sum) ? 0 : sum, `${worker.settings.node} ${metric}`).toBe(0);
    }
  }
}
const HELD = ['cuzk_stage_units_running', 'cuzk_buffers_in_flight', 'cuzk_buffers_in_flight_bytes'];

describe('after proofs with failures, cancellations and killed workers', () => {
  const proofs = SLOW ? 1_000 : 150;
  if (!SLOW) console.log('1,000 simulated proofs with failures and kills: 150 without SLOW=1');

  it(`every counter of what is in flight is zero (${proofs} proofs)`, {
    timeout: 1_200_000,
  }, async () => {
    const fleet = await openFleet();
    const work = { partitions: 3, failureShare: 0.05, synthesizeMs: 20, proveMs: 40 };
    const [synths, gpus] = [
      ['s1', 's2'],
      ['g1', 'g2', 'g3'],
    ];
    for (const node of synths) await fleet.start({ role: 'synth', node, concurrency: 4, ...work });
    for (const node of gpus) await fleet.start({ role: 'gpu', node, ...work });
    const kills = await submitMany(fleet, proofs);
    const counts = await fleet.drain(proofs, 1_000_000);
    console.log(`${proofs} proofs, ${kills} kills: ${JSON.stringify(counts)}`);
    // Every run ended exactly once.
    expect(Object.values(counts).reduce((sum, n) => sum + n, 0)).toBe(proofs);
    expect(counts.succeeded ?? 0).toBeGreaterThan(0.7 * proofs);
    await expectNothingShared(fleet, synths);
    await expectNothingHeld(fleet);
  });
});
