import { setTimeout as delay } from 'node:timers/promises';
import { CuzkError } from '@cuzk/core/errors';

const POLL_MS = 250;
/** Per cents change with every poll; a reader wants a line now and then. */
const REASON_MS = 2000;
const ANSWER_TIMEOUT_MS = 5000;

/**
 * Polls `<serviceUrl>/readyz` until it answers 200. `check` runs before each poll and may throw (a process that ended,
 * say). `onReason` gets what the service says it does, when that changes and not too often. Errors: SETUP_FAILED after
 * `timeoutMs`, with the last reason; the reason of `signal` when it aborts.
 */
export async function waitForReady(
  serviceUrl: string,
  options: {
    readonly timeoutMs: number;
    readonly signal: AbortSignal;
    check(): void;
    onReason(reason: string): void;
  },
): Promise<void> {
  const deadline = performance.now() + options.timeoutMs;
  let shown = { reason: '', at: Number.NEGATIVE_INFINITY };
  for (;;) {
    options.signal.throwIfAborted();
    options.check();
    const reason = await reasonForWaiting(serviceUrl);
    if (reason === null) return;
    const now = performance.now();
    if (reason !== shown.reason && now - shown.at >= REASON_MS) {
      options.onReason(reason);
      shown = { reason, at: now };
    }
    if (now > deadline) {
      throw new CuzkError('SETUP_FAILED', 'the system did not become ready in time', {
        expected: `ready within ${Math.round(options.timeoutMs / 1000)} s`,
        found: reason,
      });
    }
    await delay(POLL_MS);
  }
}

/** null when ready, otherwise why not, in a line. */
async function reasonForWaiting(serviceUrl: string): Promise<string | null> {
  try {
    const response = await fetch(new URL('/readyz', serviceUrl), {
      signal: AbortSignal.timeout(ANSWER_TIMEOUT_MS),
    });
    const text = await response.text();
    return response.status === 200 ? null : statusOf(text);
  } catch {
    return 'does not answer yet';
  }
}

/** What a readiness object says: `status` of a worker, `waitingFor` of the API; else the text itself. */
function statusOf(text: string): string {
  try {
    const { status, waitingFor } = JSON.parse(text) as { status?: unknown; waitingFor?: unknown };
    if (typeof status === 'string') return status;
    if (Array.isArray(waitingFor)) return waitingFor.join('; ');
  } catch {
    // Not JSON: shown as it is.
  }
  return text.slice(0, 500);
}
