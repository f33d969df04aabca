import { spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { createConnection } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { CuzkError } from '@cuzk/core/errors';
import type { ProcessPlan } from './started-process.ts';

const POLL_MS = 50;

/**
 * The program that REDIS_SERVER_BIN names, or without it the first of redis-server and valkey-server that runs here,
 * with what it says of itself; null where there is none.
 */
export function findRedisProgram(
  environment: Readonly<Record<string, string>>,
): { readonly program: string; readonly version: string } | null {
  const named = environment.REDIS_SERVER_BIN;
  for (const program of named ? [named] : ['redis-server', 'valkey-server']) {
    const { status, stdout } = spawnSync(program, ['--version'], {
      encoding: 'utf8',
      env: environment,
    });
    if (status === 0) return { program, version: stdout.trim() };
  }
  return null;
}

/**
 * How to run a Redis of our own: 127.0.0.1 only, append-only file in `folder`, and no eviction, because BullMQ's
 * keys must never be dropped. Errors: SETUP_FAILED when this machine has no Redis.
 */
export function redisPlan(options: {
  readonly port: number;
  readonly folder: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly output: ProcessPlan['output'];
}): ProcessPlan {
  const found = findRedisProgram(options.environment);
  if (found === null) {
    throw new CuzkError('SETUP_FAILED', 'there is no Redis on this machine', {
      expected: 'redis-server or valkey-server on PATH or as REDIS_SERVER_BIN, or REDIS_URL',
      action:
        'npm run setup installs it on Debian and Ubuntu as root; on macOS: brew install redis',
    });
  }
  mkdirSync(options.folder, { recursive: true });
  const settings = {
    port: String(options.port),
    bind: '127.0.0.1',
    dir: options.folder,
    appendonly: 'yes',
    save: '',
    // Records and queues of thousands of proofs; bytes live in the artifact store.
    maxmemory: '256mb',
    'maxmemory-policy': 'noeviction',
    daemonize: 'no',
  };
  return {
    name: 'redis',
    command: [
      found.program,
      ...Object.entries(settings).flatMap(([key, value]) => [`--${key}`, value]),
    ],
    environment: options.environment,
    output: options.output,
  };
}

/** Waits until a Redis on this port answers PING. Errors: REDIS_UNAVAILABLE after `timeoutMs`. */
export async function waitForRedis(port: number, timeoutMs: number): Promise<void> {
  const deadline = performance.now() + timeoutMs;
  while (!(await answersPing(port))) {
    if (performance.now() > deadline) {
      throw new CuzkError('REDIS_UNAVAILABLE', 'the Redis that was started does not answer', {
        expected: `PONG on port ${port} within ${timeoutMs} ms`,
      });
    }
    await delay(POLL_MS);
  }
}

function answersPing(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = createConnection({ host: '127.0.0.1', port });
    const answer = (value: boolean): void => {
      socket.destroy();
      resolve(value);
    };
    socket.setTimeout(1000, () => answer(false));
    socket.on('error', () => answer(false));
    socket.on('connect', () => socket.write('PING\r\n'));
    // While it loads its append-only file, Redis answers -LOADING.
    socket.on('data', (data) => answer(data.toString().startsWith('+PONG')));
  });
}
