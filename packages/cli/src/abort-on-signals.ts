/**
 * A signal that aborts when the process is asked to stop (Ctrl-C, SIGTERM, a closed terminal). Only commands that
 * must stop other processes use it: it takes the default ending away. A second request ends the process at once.
 */
export function abortOnSignals(): AbortSignal {
  const controller = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(name, () => {
      if (controller.signal.aborted) process.exit(130);
      controller.abort(new DOMException(`stopped by ${name}`, 'AbortError'));
    });
  }
  return controller.signal;
}

/** Resolves when the signal is aborted, also where that was before. */
export function untilAborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
