import { Worker } from 'bullmq';
import type { Service } from '../open-service.ts';
import { closeRedis, duplicateRedis } from '../redis/connection.ts';
import { KEY_PREFIX } from '../redis/keys.ts';
import { MAINTENANCE_QUEUE } from './queues.ts';

export interface Chore {
  readonly everyMs: number;
  run(): Promise<void>;
}

export interface ChoreWorker {
  close(): Promise<void>;
}

/**
 * Runs repeated chores, each once per period in the whole fleet, whichever process takes it. Every process looks that
 * they still come.
 */
export async function startChores(
  service: Service,
  chores: Readonly<Record<string, Chore>>,
): Promise<ChoreWorker> {
  const { logger, queues, redis } = service;
  const connection = await duplicateRedis(redis, MAINTENANCE_QUEUE, logger);
  const worker = new Worker(MAINTENANCE_QUEUE, async (job) => chores[job.name]?.run(), {
    connection,
    prefix: KEY_PREFIX,
    concurrency: 1,
    lockDuration: 30_000,
    stalledInterval: 10_000,
    removeOnComplete: { count: 0 },
    removeOnFail: { count: 0 },
  });
  worker.on('error', (error) => logger.warn({ err: error }, 'chore worker error'));
  worker.on('failed', (job, error) =>
    logger.error({ err: error, chore: job?.name }, 'chore failed'),
  );
  const mend = (name: string, everyMs: number) =>
    queues
      .mendChore(name, everyMs)
      .catch((error: unknown) =>
        logger.warn({ err: error, chore: name }, 'chore not looked after'),
      );
  const timers: NodeJS.Timeout[] = [];
  for (const [name, { everyMs }] of Object.entries(chores)) {
    await queues.repeatChore(name, everyMs);
    timers.push(setInterval(() => void mend(name, everyMs), everyMs));
  }
  return {
    close: async () => {
      for (const timer of timers) clearInterval(timer);
      await worker.close();
      await closeRedis(connection);
    },
  };
}
