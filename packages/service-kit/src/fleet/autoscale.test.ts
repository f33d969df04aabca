import { describe, expect, it } from 'vitest';
import { DEPLOYED_BEHAVIOR, simulateScaling } from '../testing/simulate-scaling.ts';
import { type Demand, desiredWorkers, percentile } from './autoscale.ts';

const HORIZON_MS = 1_800_000;
const demand = (changes: Partial<Demand>): Demand => ({
  backlog: [],
  running: 0,
  unitsPerWorker: 1,
  ...changes,
});
const backlog = (createdAt: number, units: number, secondsPerUnit: number | null) => ({
  createdAt,
  units,
  secondsPerUnit,
});

describe('the workers asked for', () => {
  it('are the work over the time that is left', () => {
    const work = { backlog: [backlog(0, 1_000, 18)] };
    expect(desiredWorkers(demand(work), 0, HORIZON_MS)).toBe(10);
    expect(desiredWorkers(demand(work), 900_000, HORIZON_MS)).toBe(20);
    const half = { backlog: [backlog(0, 500, 18)] };
    expect(desiredWorkers(demand(half), 900_000, HORIZON_MS)).toBe(10);
  });

  it('are enough for the proof that is due first and for all of them', () => {
    const old = backlog(0, 600, 18);
    const young = backlog(1_500_000, 600, 18);
    // The old one has 300 s left: 36. Both have 1,800 s: 12.
    expect(desiredWorkers(demand({ backlog: [young, old] }), 1_500_000, HORIZON_MS)).toBe(36);
  });

  it('stay bounded however late work is', () => {
    const late = { backlog: [backlog(0, 100, 12)] };
    expect(desiredWorkers(demand(late), 10 * HORIZON_MS, HORIZON_MS)).toBe(10);
  });

  it('are never below what runs, and none for nothing', () => {
    expect(desiredWorkers(demand({ running: 7 }), 0, HORIZON_MS)).toBe(7);
    expect(desiredWorkers(demand({ running: 7, unitsPerWorker: 4 }), 0, HORIZON_MS)).toBe(2);
    expect(desiredWorkers(demand({}), 0, HORIZON_MS)).toBe(0);
    expect(desiredWorkers(demand({ backlog: [backlog(0, 0, 5)] }), 0, HORIZON_MS)).toBe(0);
  });

  it('are one for work that nobody has measured', () => {
    expect(desiredWorkers(demand({ backlog: [backlog(0, 500, null)] }), 0, HORIZON_MS)).toBe(1);
  });
});

it('a percentile is a value of the list', () => {
  const values = Array.from({ length: 100 }, (_, i) => i + 1);
  expect(percentile(values, 0.95)).toBe(95);
  expect(percentile([3], 0.95)).toBe(3);
  expect(percentile([], 0.95)).toBeNull();
});

/** Seconds around six with a spread of about eight percent, from a seed. */
function durations(seed: number): () => number {
  let state = seed;
  const random = () => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return state / 2 ** 31;
  };
  return () => 6 * (0.85 + 0.3 * ((random() + random() + random()) / 3));
}

describe('a fleet that follows the signal, with pods that take a minute to start', () => {
  const horizonSeconds = HORIZON_MS / 1000;
  const times = { horizonSeconds, startSeconds: 60 };
  const at = (second: (i: number) => number) => Array.from({ length: 1_000 }, (_, i) => second(i));

  it('drains 1,000 proofs of ten partitions about when it should, without flapping', () => {
    const load = { arrivals: at(() => 0), partitions: 10, nextSeconds: durations(1) };
    const run = simulateScaling(load, DEPLOYED_BEHAVIOR, times);
    console.log(`1,000 proofs at once: ${JSON.stringify(run)}`);
    expect(run.drainSeconds).toBeGreaterThan(0.8 * horizonSeconds);
    expect(run.drainSeconds).toBeLessThan(1.2 * horizonSeconds);
    expect(run.scaleDowns).toBeLessThanOrEqual(run.scaleUps);
    expect(run.scaleDowns).toBeGreaterThan(0);
  });

  it('does the same for proofs that come in over ten minutes', () => {
    const load = { arrivals: at((i) => 0.6 * i), partitions: 10, nextSeconds: durations(2) };
    const run = simulateScaling(load, DEPLOYED_BEHAVIOR, times);
    console.log(`1,000 proofs over ten minutes: ${JSON.stringify(run)}`);
    expect(run.drainSeconds - 600).toBeLessThan(1.2 * horizonSeconds);
    expect(run.scaleDowns).toBeLessThanOrEqual(run.scaleUps);
  });
});
