import { describe, expect, it } from 'vitest';
import { estimateFinish, type Lane, type StageLoad } from './estimate.ts';

const lanes = (...seconds: number[]): Lane[] =>
  seconds.map((value) => ({ seconds: value, freeInSeconds: 0 }));
const load = (changes: Partial<StageLoad>): StageLoad => ({
  ...{ lanes: lanes(1), spread: 1, unitsAhead: 0, ownUnits: 0 },
  ...changes,
});
const NONE = load({});

describe('the estimate', () => {
  it('is the schedule of the slower stage, with what the other adds at its end', () => {
    const proving = load({ lanes: lanes(2), ownUnits: 10 });
    const synthesis = load({ lanes: lanes(1, 1, 1, 1), ownUnits: 10 });
    expect(estimateFinish(synthesis, proving, 0.5)?.p50Seconds).toBe(20 + 1 + 0.5);
    const slow = load({ lanes: lanes(6), ownUnits: 10 });
    expect(estimateFinish(slow, proving, 0)?.p50Seconds).toBe(60 + 2);
  });

  it('counts what goes before, and what is on the devices now', () => {
    const proving = load({ lanes: lanes(2, 2), ownUnits: 4, unitsAhead: 6 });
    expect(estimateFinish(NONE, proving, 0)?.p50Seconds).toBe(10);
    const busy = load({ ...proving, lanes: [{ seconds: 2, freeInSeconds: 2 }, ...lanes(2)] });
    expect(estimateFinish(NONE, busy, 0)?.p50Seconds).toBeGreaterThan(10);
  });

  it('gives fast devices more, and slow ones only what they end in time', () => {
    const mixed = load({ lanes: lanes(1, 4, 15), ownUnits: 10 });
    expect(estimateFinish(load({ ownUnits: 0 }), mixed, 0)?.p50Seconds).toBe(8);
  });

  it('stays the same in kind for a backlog of any length', () => {
    const at = (unitsAhead: number) =>
      estimateFinish(NONE, load({ lanes: lanes(2, 3), ownUnits: 10, unitsAhead }), 0)?.p50Seconds ??
      0;
    expect(at(100_000) / 100_010).toBeCloseTo(1 / (1 / 2 + 1 / 3), 2);
    expect(at(502)).toBeLessThan(at(503));
    expect(at(503) - at(502)).toBeLessThan(4);
  });

  it('is none where nothing can be said', () => {
    expect(estimateFinish(NONE, load({ lanes: [], ownUnits: 1 }), 0)).toBeNull();
    expect(estimateFinish(load({ lanes: [], ownUnits: 1 }), NONE, 0)).toBeNull();
    expect(estimateFinish(NONE, NONE, 0.25)).toEqual({ p50Seconds: 0.25, p95Seconds: 0.25 });
  });
});

/** Numbers from 0 to 1, the same every time. */
function mulberry(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

describe('the estimate against fleets that were played', () => {
  // Durations are log-normal; sigma so that the 95th percentile is `spread` times the median.
  const duration = (random: () => number, median: number, spread: number): number => {
    const normal = Math.sqrt(-2 * Math.log(random() + 1e-12)) * Math.cos(2 * Math.PI * random());
    return median * Math.exp((normal * Math.log(spread)) / 1.645);
  };
  const played = (
    random: () => number,
    speeds: readonly number[],
    units: number,
    spread: number,
  ) => {
    const free = speeds.map(() => 0);
    for (let i = 0; i < units; i++) {
      const next = free.indexOf(Math.min(...free));
      free[next] = (free[next] ?? 0) + duration(random, speeds[next] ?? 1, spread);
    }
    return Math.max(...free);
  };

  it.each([
    { name: 'one device', speeds: [2], ahead: 0 },
    { name: 'four devices, backlog', speeds: [2, 2, 2, 2], ahead: 90 },
    { name: 'two speeds', speeds: [1, 1.5], ahead: 20 },
  ])('p50 is kept about half of the time and p95 nearly always: $name', ({ speeds, ahead }) => {
    const random = mulberry(6);
    const spread = 1.3;
    const estimate = estimateFinish(
      load({ lanes: lanes(0.001) }),
      load({ lanes: lanes(...speeds), spread, unitsAhead: ahead, ownUnits: 10 }),
      0,
    );
    const times = Array.from({ length: 2_000 }, () => played(random, speeds, ahead + 10, spread));
    const within = (limit: number) => times.filter((time) => time <= limit).length / times.length;
    const [p50, p95] = [within(estimate?.p50Seconds ?? 0), within(estimate?.p95Seconds ?? 0)];
    console.log(`${speeds.join(':')} after ${ahead}: p50 kept by ${p50}, p95 by ${p95}`);
    expect(p50).toBeGreaterThan(0.3);
    expect(p50).toBeLessThan(0.7);
    expect(p95).toBeGreaterThan(0.9);
  });
});
