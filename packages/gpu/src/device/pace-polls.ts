/** Time between two polls of a device at least: little beside a submit, and long enough to leave little behind. */
export const POLL_MS = 0.25;

type Callback = (...args: unknown[]) => void;
type Immediately = (callback: Callback, ...args: unknown[]) => NodeJS.Immediate;

let paced = false;

/**
 * While anything is awaited of a device, Dawn's binding polls it in every turn of the event loop, through
 * globalThis.setImmediate, with a function that it makes anew each time and that has a finalizer. Tens of thousands of
 * them a second make the collector stop the loop, and so the device, for up to 0.1 s in every large proof. So its polls
 * come in turns that leave nothing behind. Once for a process.
 */
export function pacePolls(): void {
  if (paced) return;
  paced = true;
  const immediately = globalThis.setImmediate;
  globalThis.setImmediate = Object.assign(
    withPace(immediately),
    immediately,
  ) as typeof setImmediate;
}

/** A setImmediate that runs nameless native callbacks every POLL_MS at most, and all others as `immediately` does. */
export function withPace(immediately: Immediately): Immediately {
  let polls: Callback[] = [];
  let last = Number.NEGATIVE_INFINITY;
  const turn = (): void => {
    const now = performance.now();
    if (now - last < POLL_MS) {
      immediately(turn);
      return;
    }
    last = now;
    const due = polls;
    polls = [];
    for (const poll of due) poll();
  };
  return (callback, ...args) => {
    if (args.length > 0 || !isPoll(callback)) return immediately(callback, ...args);
    polls.push(callback);
    return immediately(polls.length === 1 ? turn : () => {});
  };
}

const isPoll = (callback: Callback): boolean =>
  callback.name === '' && Function.prototype.toString.call(callback).includes('[native code]');
