/** What work that is submitted comes to: in an object, since an async function that returned the promise would wait. */
export interface Submitted<T> {
  readonly result: Promise<T>;
}

/** Whoever waits for the result hears of a failure; nobody has to wait for it. */
export function submitted<T>(result: Promise<T>): Submitted<T> {
  result.catch(() => {});
  return { result };
}
