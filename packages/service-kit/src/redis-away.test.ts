import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Coordinator } from './fleet/coordinator.ts';
import { registerFleetMetrics } from './fleet/fleet-metrics.ts';
import type { Service } from './open-service.ts';
import { PRESENCE_REFRESH_MS } from './presence/limits.ts';
import { eventually, TestFleet } from './testing/open-test-service.ts';
import { TestRedis } from './testing/redis-server.ts';

const TICK_MS = 50;
const AWAY_MS = 3_000;

let server: TestRedis;
let fleet: TestFleet;
let service: Service;
let coordinator: Coordinator;

beforeEach(async () => {
  server = await TestRedis.start();
  fleet = new TestFleet(server.url);
  service = await fleet.open('synth-worker');
  coordinator = new Coordinator(service, { handoffBytes: 1_000, window: 4, tickMs: TICK_MS });
  registerFleetMetrics(service, () => coordinator.leader);
  await eventually(() => coordinator.leader);
});
afterEach(async () => {
  await server.stop();
});

const within = async <T>(work: Promise<T>, ms: number): Promise<T | 'waits'> =>
  Promise.race([work, new Promise<'waits'>((resolve) => setTimeout(() => resolve('waits'), ms))]);
const calls = async (): Promise<number> => {
  const stats = await service.redis.info('commandstats');
  return Number(/cmdstat_evalsha:calls=(\d+)/.exec(stats)?.[1] ?? 0);
};

describe('while Redis is away', () => {
  it('ticks do not pile up: afterwards there is one, not all that were missed', async () => {
    server.freeze();
    await new Promise((resolve) => setTimeout(resolve, AWAY_MS));
    server.thaw();
    const before = await calls();
    await new Promise((resolve) => setTimeout(resolve, 4 * TICK_MS));
    const made = (await calls()) - before;
    await coordinator.close();
    await fleet.close();
    expect(made).toBeLessThan(60);
  });

  it('no command waits twice: neither a tick nor the word that this process lives', async () => {
    server.freeze();
    await new Promise((resolve) => setTimeout(resolve, 3 * PRESENCE_REFRESH_MS + 500));
    const { length } = (service.redis as unknown as { commandQueue: { length: number } })
      .commandQueue;
    server.thaw();
    await coordinator.close();
    await fleet.close();
    expect(length).toBeLessThanOrEqual(2);
  });

  it.each(['away', 'frozen'])(
    'the page of metrics answers without what Redis knows: %s',
    async (how) => {
      if (how === 'away') await server.kill();
      else server.freeze();
      const page = service.metricsPage.answer({ address: '127.0.0.1', headers: {} });
      const answer = await within(page, 9_000);
      if (how === 'away') await server.restart();
      else server.thaw();
      await coordinator.close();
      await fleet.close();
      expect(answer).toMatchObject({ status: 200 });
      expect((answer as { body: string }).body).toContain('cuzk_units_requeued');
    },
  );
});
