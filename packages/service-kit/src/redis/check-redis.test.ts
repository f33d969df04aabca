import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createLogger } from '../logger.ts';
import { freePort, TestRedis } from '../testing/redis-server.ts';
import { checkRedis } from './check-redis.ts';
import { closeRedis, connectRedis } from './connection.ts';
import { watchReconnects } from './reconnect-watch.ts';

let server: TestRedis;
let redis: Redis;
const logger = createLogger('test', 'silent');

beforeAll(async () => {
  server = await TestRedis.start();
  redis = new Redis(server.url);
});
afterAll(async () => {
  redis.disconnect();
  await server.stop();
});

describe('the check of Redis', () => {
  it('warns of missing persistence and memory limit', async () => {
    const { warnings } = await checkRedis(redis);
    expect(warnings).toHaveLength(2);
    await redis.config('SET', 'maxmemory', '100mb');
    expect((await checkRedis(redis)).warnings).toEqual([expect.stringContaining('appendonly')]);
  });

  it('refuses a server that evicts keys', async () => {
    await redis.config('SET', 'maxmemory-policy', 'allkeys-lru');
    await expect(checkRedis(redis)).rejects.toMatchObject({
      code: 'REDIS_UNSUITABLE',
      facts: { found: 'maxmemory-policy allkeys-lru' },
    });
    await redis.config('SET', 'maxmemory-policy', 'noeviction');
  });

  it('refuses what it would warn of where it is told to', async () => {
    await expect(checkRedis(redis, true)).rejects.toMatchObject({
      code: 'REDIS_UNSUITABLE',
      facts: { found: expect.stringContaining('appendonly') },
    });
  });

  it('names what it could not look at where CONFIG is forbidden', async () => {
    await redis.call('ACL', 'SETUSER', 'limited', 'on', '>secret', '~*', '&*', '+@all', '-config');
    const limited = new Redis(`redis://limited:secret@127.0.0.1:${server.port}`);
    expect((await checkRedis(limited)).warnings).toEqual([
      'not checked (CONFIG is forbidden): maxmemory-policy, maxmemory, appendonly',
    ]);
    limited.disconnect();
  });

  it('says that nobody answers', { timeout: 20_000 }, async () => {
    const REDIS_URL = `redis://127.0.0.1:${await freePort()}`;
    await expect(connectRedis({ REDIS_URL }, 'patient', 'test', logger)).rejects.toMatchObject({
      code: 'REDIS_UNAVAILABLE',
    });
  });
});

describe('the reconnect watch', () => {
  it('counts from the moment Redis came back, and a fresh server as come back', async () => {
    const own = await TestRedis.start();
    const connection = await connectRedis({ REDIS_URL: own.url }, 'patient', 'test', logger);
    const since = watchReconnects(connection);
    await connection.ping();
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(since()).toBeLessThan(10_000);
    await own.kill();
    await new Promise((resolve) => setTimeout(resolve, 200));
    await own.restart();
    await connection.ping();
    expect(since()).toBeLessThan(1_500);
    await closeRedis(connection);
    await own.stop();
  });
});
