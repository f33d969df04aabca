import { join } from 'node:path';
import { CuzkError } from '@cuzk/core/errors';
import type { Command } from 'commander';
import { abortOnSignals, untilAborted } from '../abort-on-signals.ts';
import type { CliContext } from '../cli-context.ts';
import { lockFolder } from '../fleet/folder-lock.ts';
import { System } from '../fleet/system.ts';

/** Loading production parameters of the largest circuit may take this long. */
const READY_TIMEOUT_MS = 60 * 60_000;
const DEFAULT_PORT = 8080;

/** `cuzk serve`: the whole system on this machine until Ctrl-C or SIGTERM. */
export function defineServe(program: Command, context: CliContext): void {
  const { config, output } = context;
  program
    .command('serve')
    .description('run Redis, the API and both workers on this machine, in the foreground')
    .option(
      '--port <number>',
      'port of the API, on 127.0.0.1 or what HOST names',
      String(DEFAULT_PORT),
    )
    .option('--data <folder>', 'folder of Redis and artifacts', join(config.cacheDir, 'serve'))
    .action(async (options: { port: string; data: string }) => {
      const apiPort = parsePort(options.port);
      const unlock = lockFolder(options.data);
      const signal = abortOnSignals();
      try {
        const system = await System.start({
          config,
          folder: options.data,
          apiPort,
          output: (name) => ({ line: (text) => output.progress(`${name.padEnd(12)} ${text}`) }),
          onEvent: output.progress,
        });
        try {
          await serve(system, signal, context);
        } finally {
          output.progress('stopping');
          await system.close();
        }
      } finally {
        unlock();
      }
    });
}

/** Says when the system is ready and returns when it is asked to stop. */
async function serve(system: System, signal: AbortSignal, { output }: CliContext): Promise<void> {
  try {
    await system.ready({
      timeoutMs: READY_TIMEOUT_MS,
      signal,
      onReason: (reason) => output.progress(`waiting: ${reason}`),
    });
    const { apiUrl } = system;
    const redisUrl = withoutPassword(system.redisUrl);
    const processes = Object.fromEntries(system.processes.map(({ name, pid }) => [name, pid]));
    output.result({ apiUrl, redisUrl, processes }, [`ready: ${apiUrl} (Redis: ${redisUrl})`]);
    await untilAborted(signal); // It may have come while the last service was asked.
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

/** An address as it may be shown: what is printed ends in journals. */
export function withoutPassword(url: string): string {
  const shown = new URL(url);
  if (shown.password === '') return url;
  shown.password = '***';
  return shown.href;
}

function parsePort(text: string): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : 0;
  if (port > 0 && port < 65_536) return port;
  throw new CuzkError('REQUEST_INVALID', 'that is no port', {
    expected: '1 to 65535',
    found: text.slice(0, 16),
  });
}
