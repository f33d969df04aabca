import { setTimeout as delay } from 'node:timers/promises';
import { CuzkError } from '@cuzk/core/errors';

const POLL_MS = 250;
const ANSWER_TIMEOUT_MS = 5000;

/**
 * Polls `<apiUrl>/readyz` until it answers 200. `check` runs before each poll and may throw (a process that ended,
 * say). `onReason` gets what the service says it waits for, once per change. Errors: SETUP_FAILED after
 * `timeoutMs`, with the last reason; the reason of `signal` when it aborts.
 */
export async function waitForReady(
  apiUrl: string,
  options: {
    readonly timeoutMs: number;
    readonly signal: AbortSignal;
    check(): void;
    onReason(reason: string): void;
  },
): Promise<void> {
  const deadline = performance.now() + options.timeoutMs;
  let lastReason = '';
  for (;;) {
    options.signal.throwIfAborted();
    options.check();
    const reason = await reasonForWaiting(apiUrl);
    if (reason === null) return;
    if (reason !== lastReason) options.onReason(reason);
    lastReason = reason;
    if (performance.now() > deadline) {
      throw new CuzkError('SETUP_FAILED', 'the system did not become ready in time', {
        expected: `ready within ${Math.round(options.timeoutMs / 1000)} s`,
        found: reason,
      });
    }
    await delay(POLL_MS);
  }
}

/** null when ready, otherwise why not, in a line. */
async function reasonForWaiting(apiUrl: string): Promise<string | null> {
  try {
    const response = await fetch(new URL('/readyz', apiUrl), {
      signal: AbortSignal.timeout(ANSWER_TIMEOUT_MS),
    });
    const text = await response.text();
    return response.status === 200 ? null : text.slice(0, 500);
  } catch {
    return 'the API does not answer yet';
  }
}
