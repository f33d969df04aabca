import { expect, it } from 'vitest';
import { Turns } from './turns.ts';

const never = new AbortController().signal;

/** Work that ends when it is told to. */
function work() {
  let end = (): void => {};
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  return { run: () => ended, end };
}
const soon = () => new Promise((resolve) => setImmediate(resolve));

it('one at a time, in the order of asking, whether the one before succeeds or fails', async () => {
  const turns = new Turns();
  const seen: string[] = [];
  const first = work();
  const results = [
    turns.take(never, async () => {
      seen.push('a');
      await first.run();
      throw new Error('a fails');
    }),
    turns.take(never, async () => void seen.push('b')),
    turns.take(never, async () => void seen.push('c')),
  ];
  const settled = Promise.allSettled(results);
  await soon();
  expect(seen).toEqual(['a']);
  first.end();
  expect((await settled).map(({ status }) => status)).toEqual([
    'rejected',
    'fulfilled',
    'fulfilled',
  ]);
  expect(seen).toEqual(['a', 'b', 'c']);
});

it('who is told to stop while it waits, stops at once and lets nobody overtake', async () => {
  const turns = new Turns();
  const first = work();
  const running = turns.take(never, first.run);
  const abort = new AbortController();
  const waiting = turns.take(abort.signal, async () => 'never');
  let third = false;
  const last = turns.take(never, async () => {
    third = true;
  });
  abort.abort(new Error('cancelled'));
  await expect(waiting).rejects.toThrow('cancelled');
  await soon();
  expect(third).toBe(false);
  first.end();
  await Promise.all([running, last]);
  expect(third).toBe(true);
});

it('work that has begun is not cut off by its signal', async () => {
  const turns = new Turns();
  const own = work();
  const abort = new AbortController();
  const running = turns.take(abort.signal, async () => {
    await own.run();
    return 'done';
  });
  await soon();
  abort.abort();
  own.end();
  expect(await running).toBe('done');
});
