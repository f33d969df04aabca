import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, statSync, truncateSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';

export interface TestRedisOptions {
  /** With an append-only file that is synced at every write, so that a restart keeps everything. */
  readonly durable?: boolean;
  /** Another server that speaks the same protocol; REDIS_SERVER in the environment names one for all tests. */
  readonly program?: string;
  /** More arguments of the server. */
  readonly settings?: readonly string[];
}

/** A real Redis of this test's own: free port, empty folder. */
export class TestRedis {
  readonly port: number;
  readonly url: string;
  readonly #folder: string;
  readonly #options: TestRedisOptions;
  #process: ChildProcess;

  private constructor(port: number, folder: string, options: TestRedisOptions) {
    this.port = port;
    this.url = `redis://127.0.0.1:${port}`;
    this.#folder = folder;
    this.#options = options;
    this.#process = spawnServer(port, folder, options);
  }

  static async start(options: TestRedisOptions = {}): Promise<TestRedis> {
    const folder = mkdtempSync(join(tmpdir(), 'cuzk-redis-'));
    const redis = new TestRedis(await freePort(), folder, options);
    await redis.#answering();
    return redis;
  }

  async #answering(): Promise<void> {
    const client = new Redis(this.url, { lazyConnect: true, retryStrategy: () => 50 });
    client.on('error', () => {});
    await new Promise<void>((resolve) => {
      client.once('ready', resolve);
      client.connect().catch(() => {});
    });
    client.disconnect();
  }

  get pid(): number {
    return this.#process.pid ?? 0;
  }

  /** Ends the server with SIGKILL, as a crash does. */
  async kill(): Promise<void> {
    await ended(this.#process, 'SIGKILL');
  }

  /** Cuts this many bytes off the end of the append-only file of a server that is down: what a crash may leave. */
  cutLog(bytes: number): void {
    const logs = join(this.#folder, 'appendonlydir');
    const last =
      readdirSync(logs)
        .filter((name) => name.endsWith('.incr.aof'))
        .at(-1) ?? '';
    const { size } = statSync(join(logs, last));
    if (size <= bytes) throw new RangeError(`bytes: expected less than ${size}, got ${bytes}`);
    truncateSync(join(logs, last), size - bytes);
  }

  /** Starts it again on the same port: empty, or with all it had when it is durable. */
  async restart(): Promise<void> {
    this.#process = spawnServer(this.port, this.#folder, this.#options);
    await this.#answering();
  }

  /** Stands still, as a machine that swaps does: connections stay open and nobody answers. */
  freeze(): void {
    this.#process.kill('SIGSTOP');
  }

  thaw(): void {
    this.#process.kill('SIGCONT');
  }

  async stop(): Promise<void> {
    await ended(this.#process, 'SIGTERM');
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

function spawnServer(
  port: number,
  folder: string,
  {
    durable = false,
    program = process.env.REDIS_SERVER || 'redis-server',
    settings = [],
  }: TestRedisOptions,
): ChildProcess {
  const log = durable ? ['--appendonly', 'yes', '--appendfsync', 'always'] : ['--appendonly', 'no'];
  const kept = ['--save', '', ...log, '--maxmemory-policy', 'noeviction'];
  const place = ['--port', String(port), '--bind', '127.0.0.1', '--dir', folder];
  return spawn(program, [...kept, ...place, ...settings], { stdio: 'ignore' });
}

async function ended(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGCONT');
  await new Promise<void>((resolve) => {
    child.once('exit', () => resolve());
    child.kill(signal);
  });
}

export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address ? address.port : 0));
    });
  });
}
