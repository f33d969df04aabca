import { mkdtempSync, readFileSync } from 'node:fs';
import { createConnection } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findFreePort } from '@cuzk/cli/fleet/free-port';
import { findRedisProgram, redisPlan, waitForRedis } from '@cuzk/cli/fleet/redis-server';
import { startProcess } from '@cuzk/cli/fleet/started-process';
import { expect, it } from 'vitest';

const environment = { PATH: process.env.PATH ?? '' };

/** Sends one inline command and returns the first answer. */
function ask(port: number, command: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = createConnection({ host: '127.0.0.1', port });
    socket.on('error', reject);
    socket.on('data', (data) => {
      socket.destroy();
      resolve(data.toString());
    });
    socket.write(`${command}\r\n`);
  });
}

async function startOwnRedis(folder: string, port: number) {
  const output = { file: join(folder, 'log') };
  const started = await startProcess(redisPlan({ port, folder, environment, output }));
  await waitForRedis(port, 10_000);
  return started;
}

/**
 * The Redis that demo and serve start: what it holds survives kill -9 (up to the last fsync) and a start in the
 * same folder, it never evicts, and it is gone after stop.
 */
it('a Redis of our own keeps what it was told over kill -9 and never evicts', async () => {
  expect(findRedisProgram(environment)?.version).toMatch(/v=\d/);
  const folder = mkdtempSync(join(tmpdir(), 'cuzk-redis-'));
  const port = await findFreePort();
  const first = await startOwnRedis(folder, port);
  expect(await ask(port, 'SET proof kept')).toBe('+OK\r\n');
  expect(await ask(port, 'CONFIG GET maxmemory-policy')).toContain('noeviction');
  await new Promise((resolve) => setTimeout(resolve, 1500));
  process.kill(first.pid, 'SIGKILL');
  await first.ended;

  const second = await startOwnRedis(folder, port);
  expect(await ask(port, 'GET proof')).toBe('$4\r\nkept\r\n');
  expect(await second.stop(10_000)).toEqual({ code: 0, signal: null });
  await expect(ask(port, 'PING')).rejects.toThrow('ECONNREFUSED');
  expect(readFileSync(join(folder, 'log'), 'utf8')).toContain('Ready to accept connections');
});
