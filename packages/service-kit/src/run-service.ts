import { exitCodeOf } from './exit-code.ts';
import { createLogger, type Logger } from './logger.ts';

/** A stop that takes longer than this is cut off: the reconciler takes the work back. */
const STOP_MS_MAX = 10_000;

export interface RunningService {
  readonly logger: Logger;
  /** Takes no more work, hands running work back, closes everything. */
  stop(): Promise<void>;
}

/**
 * The life of a service process: start, run until SIGTERM or SIGINT, stop in order, exit 0. A signal during the start
 * counts as soon as there is something to stop: as the first process of a container nobody else would end it. A failed
 * start, an unexpected error or a second signal exit 1, settings that cannot be used 78.
 */
export async function runService(
  name: string,
  start: () => Promise<RunningService>,
): Promise<void> {
  const signalled = firstSignal();
  let service: RunningService;
  try {
    service = await start();
  } catch (error) {
    createLogger(name, 'info').fatal({ err: error }, 'service did not start');
    process.exit(exitCodeOf(error));
  }
  const { logger } = service;
  process.on('uncaughtException', (error) => {
    logger.fatal({ err: error }, 'unexpected error');
    process.exit(1);
  });
  const signal = await signalled;
  logger.info({ signal }, 'stopping');
  try {
    await service.stop();
    logger.info('stopped');
    process.exit(0);
  } catch (error) {
    logger.error({ err: error }, 'stop failed');
    process.exit(1);
  }
}

/** The first word to stop, from when on a stop may take STOP_MS_MAX; the second ends the process. */
function firstSignal(): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    let asked = false;
    const stop = (signal: NodeJS.Signals): void => {
      if (asked) process.exit(1);
      asked = true;
      setTimeout(() => process.exit(1), STOP_MS_MAX).unref();
      resolve(signal);
    };
    process.on('SIGTERM', stop);
    process.on('SIGINT', stop);
  });
}
