import { CuzkError } from '@cuzk/core/errors';
import { describe, expect, it } from 'vitest';
import { createLogger } from '../logger.ts';
import { TestRedis } from '../testing/redis-server.ts';
import { connectRedis } from './connection.ts';
import { redisOptionsOf } from './redis-settings.ts';

const SECRET = 'open-sesame';

/** A logger that keeps what it writes. */
function openLog(): { readonly lines: string[]; readonly logger: ReturnType<typeof createLogger> } {
  const lines: string[] = [];
  const logger = createLogger('test', 'trace', { write: (line) => void lines.push(line) });
  return { lines, logger };
}

describe('a Redis that refuses the password', () => {
  it('is said without the password, in the log and in the error', async () => {
    const server = await TestRedis.start();
    const { lines, logger } = openLog();
    const admin = await connectRedis({ REDIS_URL: server.url }, 'patient', 'admin', logger);
    await admin.config('SET', 'requirepass', 'another');
    const url = server.url.replace('//', `//default:${SECRET}@`);
    const failure = await connectRedis({ REDIS_URL: url }, 'patient', 'test', logger).catch(
      (error: unknown) => error as CuzkError,
    );
    admin.disconnect();
    await server.stop();
    logger.error({ err: failure }, 'start');
    expect((failure as CuzkError).facts.found).toContain('WRONGPASS');
    expect(lines[0]).toMatch(/WRONGPASS.*"command":"(auth|hello)"/);
    expect(lines.join()).not.toContain(SECRET);
  });
});

describe('REDIS_URL', () => {
  it('that is no address is refused without its password', () => {
    const { lines, logger } = openLog();
    for (const url of [
      `redis://:${SECRET}/x@redis:6379`,
      `redis://:%zz${SECRET}@redis:6379`,
      `redis://:${SECRET}@redis/one`,
    ]) {
      let failure: unknown;
      try {
        redisOptionsOf({ REDIS_URL: url });
      } catch (error) {
        failure = error;
      }
      logger.error({ err: failure }, 'start');
      expect.soft(failure).toBeInstanceOf(CuzkError);
      expect.soft(lines.join()).not.toContain(SECRET);
    }
  });

  it('may be an IPv6 address, which has no brackets for the system', () => {
    const options = redisOptionsOf({ REDIS_URL: 'redis://[::1]:7000/2' });
    expect(options).toEqual({ host: '::1', port: 7000, db: 2 });
  });
});
