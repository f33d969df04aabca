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
 * The life of a service process: start, run until SIGTERM or SIGINT, stop in order, exit 0. A failed start, an
 * unexpected error or a second signal exit 1, settings that cannot be used 78.
 */
export async function runService(
  name: string,
  start: () => Promise<RunningService>,
): Promise<void> {
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
  let stopping = false;
  const stop = async (signal: NodeJS.Signals) => {
    if (stopping) process.exit(1);
    stopping = true;
    logger.info({ signal }, 'stopping');
    setTimeout(() => process.exit(1), STOP_MS_MAX).unref();
    try {
      await service.stop();
      logger.info('stopped');
      process.exit(0);
    } catch (error) {
      logger.error({ err: error }, 'stop failed');
      process.exit(1);
    }
  };
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
}
