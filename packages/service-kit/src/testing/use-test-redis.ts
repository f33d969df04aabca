import { Redis } from 'ioredis';
import { afterAll, beforeAll, beforeEach } from 'vitest';
import { TestRedis } from './redis-server.ts';

/** A Redis of its own for the tests of a file, empty before each. Hands the connection over before the first. */
export function useTestRedis(take: (redis: Redis) => void): void {
  let server: TestRedis;
  let redis: Redis;
  beforeAll(async () => {
    server = await TestRedis.start();
    redis = new Redis(server.url);
    take(redis);
  });
  afterAll(async () => {
    redis.disconnect();
    await server.stop();
  });
  beforeEach(async () => {
    await redis.flushall();
  });
}
