/** Pieces of work by name; each stops with an error once its signal fires. */
export type Pieces<T> = { readonly [K in keyof T]: (signal: AbortSignal) => Promise<T[K]> };

/**
 * Runs all pieces, side by side or in order, and returns their results. Where one fails the others are cancelled, and
 * the first error is thrown once none is running any more, so that what they work on may go.
 */
export async function runTogether<T extends object>(
  pieces: Pieces<T>,
  options: { readonly sideBySide: boolean; readonly signal?: AbortSignal | undefined },
): Promise<T> {
  const stop = new AbortController();
  const signal =
    options.signal === undefined ? stop.signal : AbortSignal.any([options.signal, stop.signal]);
  const results: Partial<T> = {};
  let failure: { readonly cause: unknown } | undefined;
  const run = async (name: keyof T): Promise<void> => {
    try {
      results[name] = await pieces[name](signal);
    } catch (cause) {
      failure ??= { cause };
      stop.abort();
    }
  };
  const running: Promise<void>[] = [];
  for (const name of Object.keys(pieces) as (keyof T)[]) {
    const one = run(name);
    running.push(one);
    if (!options.sideBySide) await one;
    if (failure !== undefined) break;
  }
  await Promise.all(running);
  if (failure !== undefined) throw failure.cause;
  return results as T;
}

/** Runs `first`, and beside it `second`, which may wait for its result; otherwise as runTogether. */
export async function runBeside<A, B>(
  first: (signal: AbortSignal) => Promise<A>,
  second: (result: Promise<A>, signal: AbortSignal) => Promise<B>,
  { signal }: { readonly signal?: AbortSignal | undefined },
): Promise<B> {
  let begun: Promise<A>;
  const done = await runTogether<{ first: A; second: B }>(
    {
      first: (stop) => {
        begun = first(stop);
        return begun;
      },
      second: (stop) => second(begun, stop),
    },
    { sideBySide: true, signal },
  );
  return done.second;
}
