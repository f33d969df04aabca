/**
 * Settles in a later turn of the event loop, after what else is due: promises that only follow one another keep all
 * news of the device waiting.
 */
export const nextTurn = (): Promise<void> =>
  new Promise((resolve) => {
    // a browser has no setImmediate; wrapped, as a nameless native callback is taken for a poll (pace-polls.ts)
    (globalThis.setImmediate ?? setTimeout)(() => resolve());
  });
