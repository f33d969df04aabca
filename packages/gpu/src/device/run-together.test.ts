import { describe, expect, it } from 'vitest';
import { runBeside, runTogether } from './run-together.ts';

const later = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

describe.each([true, false])('pieces of work (side by side: %s)', (sideBySide) => {
  it('give their results by name', async () => {
    const order: string[] = [];
    const piece = (name: string, ms: number) => async () => {
      await later(ms);
      order.push(name);
      return name;
    };
    const results = await runTogether<{ slow: string; quick: string }>(
      { slow: piece('slow', 20), quick: piece('quick', 1) },
      { sideBySide },
    );
    expect(results).toEqual({ slow: 'slow', quick: 'quick' });
    expect(order).toEqual(sideBySide ? ['quick', 'slow'] : ['slow', 'quick']);
  });

  it('are cancelled, and have ended, when one has failed', async () => {
    let running = 0;
    const waits = async (signal: AbortSignal): Promise<void> => {
      running += 1;
      while (!signal.aborted) await later(1);
      running -= 1;
      throw new Error('cancelled');
    };
    const fails = async (): Promise<void> => {
      throw new Error('broken');
    };
    const pieces = sideBySide ? { a: waits, b: fails, c: waits } : { b: fails, c: waits };
    await expect(runTogether<Record<string, void>>(pieces, { sideBySide })).rejects.toThrow(
      'broken',
    );
    expect(running).toBe(0);
  });

  it('stop when the caller says so', async () => {
    const caller = new AbortController();
    const waits = async (signal: AbortSignal): Promise<void> => {
      while (!signal.aborted) await later(1);
      throw new Error('cancelled');
    };
    const done = runTogether({ a: waits }, { sideBySide, signal: caller.signal });
    caller.abort();
    await expect(done).rejects.toThrow('cancelled');
  });
});

describe('work beside other work', () => {
  it('goes on meanwhile, and waits for its result where it needs it', async () => {
    const order: string[] = [];
    const first = async () => {
      await later(20);
      order.push('first');
      return 20;
    };
    const second = async (result: Promise<number>) => {
      await later(1);
      order.push('second has begun');
      return (await result) + 1;
    };
    expect(await runBeside(first, second, {})).toBe(21);
    expect(order).toEqual(['second has begun', 'first']);
  });

  it('ends with it, whichever of them fails, and with the error of the one that did', async () => {
    let running = 0;
    const waits = async (signal: AbortSignal): Promise<never> => {
      running += 1;
      while (!signal.aborted) await later(1);
      running -= 1;
      throw new Error('cancelled');
    };
    const fails = async (): Promise<never> => {
      await later(5);
      throw new Error('broken');
    };
    await expect(runBeside(fails, (_, signal) => waits(signal), {})).rejects.toThrow('broken');
    await expect(runBeside(fails, (result) => result, {})).rejects.toThrow('broken');
    await expect(runBeside(waits, fails, {})).rejects.toThrow('broken');
    expect(running).toBe(0);
  });
});
