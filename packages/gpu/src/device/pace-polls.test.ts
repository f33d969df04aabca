import { describe, expect, it } from 'vitest';
import { POLL_MS, withPace } from './pace-polls.ts';

/** As the binding makes them: nameless, and native by their text. */
const native = (run: () => void): (() => void) => new Proxy(() => run(), {});

describe('withPace', () => {
  it('runs native callbacks that follow one another every POLL_MS at most', async () => {
    const paced = withPace(setImmediate);
    const times: number[] = [];
    await new Promise<void>((resolve) => {
      const poll = (): void => {
        times.push(performance.now());
        if (times.length < 50) paced(native(poll));
        else resolve();
      };
      paced(native(poll));
    });
    expect((times[49] as number) - (times[0] as number)).toBeGreaterThanOrEqual(49 * POLL_MS);
  });

  it('runs every callback that waits, once', async () => {
    const paced = withPace(setImmediate);
    const runs = [0, 0, 0];
    const waits = runs.map(
      (_, i) => new Promise<void>((resolve) => paced(native(() => resolve(void runs[i]++)))),
    );
    await Promise.all(waits);
    await new Promise((resolve) => setTimeout(resolve, 5));
    expect(runs).toEqual([1, 1, 1]);
  });

  it('leaves other callbacks as they are, arguments too', async () => {
    const calls: unknown[][] = [];
    const immediately = (...call: unknown[]) => calls.push(call) as unknown as NodeJS.Immediate;
    const named = (): void => {};
    const paced = withPace(immediately);
    paced(named, 1, 2);
    paced(native(named), 3);
    expect(calls[0]).toEqual([named, 1, 2]);
    expect(calls[1]?.[1]).toBe(3);
  });
});
