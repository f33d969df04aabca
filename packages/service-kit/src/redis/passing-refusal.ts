const PASSING =
  /^(?:ReplyError: )?(?:OOM|LOADING|BUSY|MASTERDOWN|READONLY|MISCONF|NOREPLICAS|CLUSTERDOWN|TRYAGAIN)\b/;

/** Whether Redis answered that it cannot take this now: at its memory limit, in a fail-over, without a disk. */
export const isPassingRefusal = (error: unknown): boolean =>
  error instanceof Error && PASSING.test(error.message);

/** Whether Redis is at its memory limit. */
export const isOutOfMemory = (error: unknown): boolean =>
  error instanceof Error && /^(?:ReplyError: )?OOM\b/.test(error.message);

/**
 * Whether a command that failed has certainly changed nothing: Redis said no, or it was never sent. Otherwise its
 * answer was lost, and nobody knows.
 */
export const isCertainlyUndone = (error: unknown): boolean =>
  error instanceof Error &&
  (error.name === 'ReplyError' || error.message.includes('enableOfflineQueue'));
