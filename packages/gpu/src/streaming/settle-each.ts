import { CuzkError } from '@cuzk/core/errors';

const ENDS_ALL: readonly string[] = ['CANCELLED', 'PARAMS_MALFORMED'];

const endsAll = (error: unknown): boolean =>
  !(error instanceof CuzkError) || ENDS_ALL.includes(error.code);

/**
 * One after another, or the next as soon as `work` calls `next`; a cancel or a file that is not as it should be ends
 * all, and is thrown once none is running any more.
 */
export async function settleEach<T, R>(
  items: readonly T[],
  work: (item: T, index: number, next: () => void) => Promise<R>,
): Promise<PromiseSettledResult<R>[]> {
  const running: Promise<PromiseSettledResult<R>>[] = [];
  const failures: unknown[] = [];
  for (const [index, item] of items.entries()) {
    await new Promise<void>((next) => {
      const one = settled(work(item, index, next)).then((result) => {
        if (result.status === 'rejected' && endsAll(result.reason)) failures.push(result.reason);
        next();
        return result;
      });
      running.push(one);
    });
    if (failures.length > 0) break;
  }
  const results = await Promise.all(running);
  if (failures.length > 0) throw failures[0];
  return results;
}

const settled = async <R>(work: Promise<R>): Promise<PromiseSettledResult<R>> => {
  const [result] = await Promise.allSettled([work]);
  return result;
};
