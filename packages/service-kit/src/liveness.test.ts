import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Liveness } from './liveness.ts';
import { watchCommands, watchCopies } from './redis/unanswered.ts';
import { eventually } from './testing/open-test-service.ts';
import { TestRedis } from './testing/redis-server.ts';

let server: TestRedis;
let redis: Redis;

beforeAll(async () => {
  server = await TestRedis.start();
  redis = new Redis(server.url, { retryStrategy: () => 50 });
  redis.on('error', () => {});
});
afterAll(async () => {
  redis.disconnect();
  await server.stop();
});

describe('a process', () => {
  it('is dead when a watched connection gets no answer while Redis answers others', async () => {
    const parent = new Redis(server.url);
    const unansweredMs = watchCopies(parent);
    const blocked = parent.duplicate();
    const liveness = new Liveness(redis, 100);
    liveness.watch('queue prove', unansweredMs);
    try {
      expect(await liveness.check()).toEqual({ alive: true, status: 'ok' });
      const waiting = blocked.blpop('{cuzk}:nothing', 0);
      const dead = await eventually(async () => {
        const answer = await liveness.check();
        return answer.alive ? null : answer;
      });
      expect(dead.status).toContain('queue prove');
      await redis.lpush('{cuzk}:nothing', 'something');
      await waiting;
      expect(await liveness.check()).toEqual({ alive: true, status: 'ok' });
    } finally {
      parent.disconnect();
      blocked.disconnect();
    }
  });

  it('is not restarted for a Redis that is away', async () => {
    const lonely = new Redis(server.url, { maxRetriesPerRequest: null, retryStrategy: () => 50 });
    lonely.on('error', () => {});
    const unansweredMs = watchCommands(lonely);
    const liveness = new Liveness(redis, 20);
    liveness.watch('queue prove', unansweredMs);
    await lonely.ping();
    expect(unansweredMs()).toBe(0);
    await server.kill();
    const ping = lonely.ping();
    await eventually(() => unansweredMs() > 20);
    expect((await liveness.check()).alive).toBe(true);
    await server.restart();
    await ping;
    expect(unansweredMs()).toBe(0);
    lonely.disconnect();
  });
});
