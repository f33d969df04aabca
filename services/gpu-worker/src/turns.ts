/** Lets one piece of work use the device at a time, in the order in which they ask. */
export class Turns {
  #last: Promise<void> = Promise.resolve();

  /**
   * Runs `work` when all that asked before has ended. A signal that fires while it waits ends the waiting at once, with
   * the signal's reason; work that has begun is its own to stop.
   */
  async take<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    const before = this.#last;
    let end = (): void => {};
    const own = new Promise<void>((resolve) => {
      end = resolve;
    });
    this.#last = before.then(() => own);
    try {
      await unlessAborted(before, signal);
      return await work();
    } finally {
      end();
    }
  }
}

async function unlessAborted(before: Promise<void>, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  let stop = (): void => {};
  const aborted = new Promise<never>((_, reject) => {
    stop = () => reject(signal.reason);
  });
  signal.addEventListener('abort', stop, { once: true });
  try {
    await Promise.race([before, aborted]);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}
