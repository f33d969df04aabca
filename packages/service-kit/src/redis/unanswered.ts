import type { Redis } from 'ioredis';

/** Reads how long the oldest command without an answer has waited, in ms; 0 when all are answered. */
export type UnansweredMs = () => number;

/** Watches every command that is sent on this connection from now on. */
export function watchCommands(redis: Redis): UnansweredMs {
  const sentAt = new Map<object, number>();
  const send = redis.sendCommand.bind(redis);
  redis.sendCommand = (command, stream) => {
    sentAt.set(command, performance.now());
    const answered = () => sentAt.delete(command);
    command.promise.then(answered, answered);
    return send(command, stream);
  };
  return () => {
    const [oldest] = sentAt.values(); // In order of sending.
    return oldest === undefined ? 0 : performance.now() - oldest;
  };
}

/** Watches the connections that are made as copies of this one from now on. */
export function watchCopies(redis: Redis): UnansweredMs {
  const watched: UnansweredMs[] = [];
  const duplicate = redis.duplicate.bind(redis);
  redis.duplicate = (override) => {
    const copy = duplicate(override);
    watched.push(watchCommands(copy));
    return copy;
  };
  return () => Math.max(0, ...watched.map((unansweredMs) => unansweredMs()));
}
