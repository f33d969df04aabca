import type { Logger } from './logger.ts';
import type { WorkerIdentity } from './presence/identity.ts';
import { duplicateRedis, type Redis } from './redis/connection.ts';
import { CHAOS_CHANNEL } from './redis/keys.ts';

/**
 * Ends this process with SIGKILL, as a crash would, when its name is called. For systems whose purpose is to show
 * the recovery; only processes with CHAOS=1 listen. Returns the connection that listens.
 */
export async function obeyChaos(
  redis: Redis,
  { name }: Pick<WorkerIdentity, 'name'>,
  logger: Logger,
): Promise<Redis> {
  const own = await duplicateRedis(redis, 'chaos', logger);
  own.on('message', (_channel: string, called: string) => {
    if (called === name) process.kill(process.pid, 'SIGKILL');
  });
  await own.subscribe(CHAOS_CHANNEL);
  return own;
}

/** Calls a worker's name. False when nobody with CHAOS=1 listens. */
export async function killWorker(redis: Redis, name: string): Promise<boolean> {
  return (await redis.publish(CHAOS_CHANNEL, name)) > 0;
}
