import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Service } from '../open-service.ts';
import { createOrJoinProof } from '../record/create-proof.ts';
import type { NextUnit } from '../record/types.ts';
import { TestFleet } from '../testing/open-test-service.ts';
import { TestRedis } from '../testing/redis-server.ts';
import {
  GPU,
  ingested,
  mustClaim,
  newProof,
  proved,
  SYNTH,
  synthesized,
} from '../testing/sample-proof.ts';
import { dispatchAll } from './dispatcher.ts';
import { registerFleetMetrics } from './fleet-metrics.ts';
import { oldestWaits } from './oldest-waits.ts';
import { readDemand } from './read-demand.ts';

const WIDE = { handoffBytes: 2 ** 40, window: 1_000 };
let server: TestRedis;
let fleet: TestFleet;
let service: Service;

beforeAll(async () => {
  server = await TestRedis.start();
});
afterAll(() => server.stop());
beforeEach(async () => {
  fleet = new TestFleet(server.url);
  service = await fleet.open('synth-worker');
  await service.redis.flushall();
});
afterEach(() => fleet.close());

describe('the demand of the fleet', () => {
  it('counts open units by role, and takes seconds from the last units of the circuit', async () => {
    const { redis, presence } = service;
    await presence.publish({ ready: true, status: 'ready', slots: 3 });
    await createOrJoinProof(redis, newProof());
    const proofId = await ingested(redis, 4);
    const { units } = await dispatchAll(redis, WIDE);
    const [first, second, third] = units as [NextUnit, NextUnit, NextUnit];
    await proved(redis, await synthesized(redis, first));
    await mustClaim(redis, await synthesized(redis, second), GPU);
    await mustClaim(redis, third, SYNTH);
    await redis.lset('{cuzk}:durations:prove:circuit', 0, 8_000);

    const demand = await readDemand(redis);
    const own = (role: keyof typeof demand) =>
      demand[role].backlog.map(({ units: open, secondsPerUnit }) => [open, secondsPerUnit]);
    // A proof that ingest has not seen is one unit that nobody has measured.
    expect(own('gpu-worker')).toEqual([
      [1, null],
      [3, 8],
    ]);
    expect(own('synth-worker').map(([open]) => open)).toEqual([1, 2]);
    expect([demand['gpu-worker'].running, demand['synth-worker'].running]).toEqual([1, 1]);
    expect([demand['gpu-worker'].unitsPerWorker, demand['synth-worker'].unitsPerWorker]).toEqual([
      1, 3,
    ]);
    expect(demand['gpu-worker'].backlog.every(({ createdAt }) => createdAt > 0)).toBe(true);
    expect(proofId).toMatch(/^prf_/);
  });

  it('is nothing in an empty fleet', async () => {
    const demand = await readDemand(service.redis);
    expect(demand['gpu-worker']).toEqual({ backlog: [], running: 0, unitsPerWorker: 1 });
  });
});

describe('the longest wait', () => {
  it('is told by stage, in seconds, and zero where nothing waits', async () => {
    const { redis } = service;
    await createOrJoinProof(redis, newProof());
    await ingested(redis, 2);
    const later = Date.now() + 60_000;
    const waits = await oldestWaits(redis, later);
    expect(waits.get('ingest')).toBeGreaterThanOrEqual(59);
    expect(waits.get('synthesize')).toBeGreaterThanOrEqual(59);
    expect([waits.get('prove'), waits.get('finalize')]).toEqual([0, 0]);
  });
});

describe('metrics of the fleet', () => {
  it('are told by the leader alone, but for the pool of its own host', async () => {
    let leads = false;
    registerFleetMetrics(service, () => leads);
    await ingested(service.redis, 2);
    const asFollower = await service.metrics.text();
    expect(asFollower).not.toContain('cuzk_proofs_live');
    expect(asFollower).toContain('cuzk_permit_used_bytes{pool="host:node-a"}');
    leads = true;
    const asLeader = await service.metrics.text();
    expect(asLeader).toContain('cuzk_proofs_live 1');
    expect(asLeader).toContain('cuzk_partitions_pending 2');
    expect(asLeader).toContain('cuzk_proofs_ended_total{state="failed"} 0');
    expect(asLeader).toContain('cuzk_permit_denied_total{pool="handoff"} 0');
    expect(asLeader).toContain('cuzk_workers{role="synth-worker",state="not_ready"}');
    expect(asLeader).toContain('cuzk_queue_oldest_seconds{stage="prove"} 0');
  });
});
