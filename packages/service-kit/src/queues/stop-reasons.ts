/** Thrown by work that was taken and not begun when its device went away: it waits again, without a failure. */
export class NotBegunError extends Error {
  override readonly name = 'NotBegunError';
}

/** Why work is aborted: the process ends. */
export class DrainSignal extends Error {
  override readonly name = 'DrainSignal';
}

/** Why work is aborted: its run was cancelled or has ended. */
export class StopSignal extends Error {
  override readonly name = 'StopSignal';
}
