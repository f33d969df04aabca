import type { Redis } from 'ioredis';

/**
 * Sends the commands that come in one turn of the event loop together: a system call for all of them, here and in
 * Redis. Their order stays, and none waits longer than the turn takes.
 */
export function corkWrites(redis: Redis): void {
  redis.on('connect', () => {
    const { stream } = redis;
    const write = stream.write.bind(stream) as (...args: unknown[]) => boolean;
    let corked = false;
    stream.write = ((...args: unknown[]) => {
      if (!corked) {
        corked = true;
        stream.cork();
        setImmediate(() => {
          corked = false;
          stream.uncork();
        });
      }
      return write(...args);
    }) as typeof stream.write;
  });
}
