import { afterEach, beforeEach, it } from 'vitest';
import type { Service } from '../open-service.ts';
import { eventually, TestFleet } from '../testing/open-test-service.ts';
import { TestRedis } from '../testing/redis-server.ts';
import { type ChoreWorker, startChores } from './chore-worker.ts';

const EVERY_MS = 200;

let server: TestRedis;
let fleet: TestFleet;
let service: Service;
let chores: ChoreWorker;
let runs = 0;

beforeEach(async () => {
  server = await TestRedis.start();
  fleet = new TestFleet(server.url);
  service = await fleet.open('synth-worker');
  runs = 0;
  const run = async (): Promise<void> => {
    runs++;
  };
  chores = await startChores(service, { sweep: { everyMs: EVERY_MS, run } });
  await eventually(() => runs >= 2);
});
afterEach(async () => {
  await chores.close();
  await fleet.close();
  await server.stop();
});

const runsAgain = async (): Promise<void> => {
  const before = runs;
  await eventually(() => runs > before + 2, 5_000);
};

it('a chore is repeated', () => runsAgain());

it('a chore goes on after a fail-over to a Redis that has nothing', async () => {
  await server.kill();
  await server.restart();
  await runsAgain();
});

it('a chore goes on when its next job is lost', async () => {
  const keys = await service.redis.keys('{cuzk}:maintenance:*');
  const jobs = keys.filter((key) => /:(delayed|wait|prioritized|marker|repeat:.*:\d+)$/.test(key));
  await service.redis.del(...jobs);
  await runsAgain();
});
