import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { CuzkError, ERROR_CODES, type ErrorCode, type ErrorFacts } from '@cuzk/core/errors';

/** The launcher of this program. The same relative path holds from src/ and dist/. */
const LAUNCHER = fileURLToPath(new URL('../../bin/cuzk.mjs', import.meta.url));

/**
 * Runs a command of this program in a process of its own, so that its device and memory are gone afterwards.
 * Returns the one JSON object; lines of progress go to `onLine`. Errors: those of the command; the signal's reason.
 */
export async function runSelf(
  args: readonly string[],
  options: {
    readonly environment: Readonly<Record<string, string>>;
    readonly signal: AbortSignal;
    onLine(line: string): void;
  },
): Promise<Record<string, unknown>> {
  options.signal.throwIfAborted();
  const child = spawn(process.execPath, [LAUNCHER, ...args, '--json'], {
    env: options.environment,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const stop = (): void => {
    child.kill('SIGTERM');
  };
  options.signal.addEventListener('abort', stop, { once: true });
  try {
    createInterface({ input: child.stderr }).on('line', options.onLine);
    const [output, [code]] = await Promise.all([text(child.stdout), once(child, 'exit')]);
    options.signal.throwIfAborted();
    const value = parseObject(output);
    if (code === 0 && value !== null) return value;
    throw errorOf(value, `cuzk ${args.join(' ')} ended with ${code}`);
  } finally {
    options.signal.removeEventListener('abort', stop);
  }
}

function parseObject(output: string): Record<string, unknown> | null {
  try {
    return JSON.parse(output) as Record<string, unknown>;
  } catch {
    return null;
  }
}

function errorOf(value: Record<string, unknown> | null, fallback: string): CuzkError {
  const { code, message, ...facts } = value ?? {};
  if (typeof code === 'string' && Object.hasOwn(ERROR_CODES, code)) {
    return new CuzkError(code as ErrorCode, String(message), facts as ErrorFacts);
  }
  return new CuzkError('INTERNAL', fallback);
}
