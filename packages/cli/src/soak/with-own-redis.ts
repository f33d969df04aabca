import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findFreePort } from '../fleet/free-port.ts';
import { redisPlan, waitForRedis } from '../fleet/redis-server.ts';
import { startProcess } from '../fleet/started-process.ts';

const TIMEOUT_MS = 10_000;

export interface OwnRedis {
  readonly url: string;
  readonly pid: number;
  /** Removed with all that is in it at the end. */
  readonly folder: string;
}

/** Runs `use` with a Redis and a folder of its own; both are gone afterwards. Throws SETUP_FAILED without a Redis. */
export async function withOwnRedis<T>(
  environment: Readonly<Record<string, string>>,
  use: (redis: OwnRedis) => Promise<T>,
): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'cuzk-bench-'));
  try {
    const port = await findFreePort();
    const output = { file: join(folder, 'redis.log') };
    const redis = await startProcess(redisPlan({ port, folder, environment, output }));
    try {
      await waitForRedis(port, TIMEOUT_MS);
      return await use({ url: `redis://127.0.0.1:${port}`, pid: redis.pid, folder });
    } finally {
      await redis.stop(TIMEOUT_MS);
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
