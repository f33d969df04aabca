import { openTestDevice } from '@cuzk/gpu/testing/software-device';
import { describe, expect, it } from 'vitest';
import { goalFor, timeScaled } from './time-scaled.ts';

describe('a time on a software adapter', () => {
  it('has a goal that follows from the rates on both sides of the work', () => {
    expect(goalFor(55, 14.2, 14.2)).toBe(55);
    expect(goalFor(55, 7.1, 21.3)).toBe(55);
    expect(goalFor(180, 7.1, 7.1)).toBe(360);
  });

  it('comes with its processor seconds and these rates', async () => {
    const opened = await openTestDevice();
    try {
      let calls = 0;
      const work = async (): Promise<void> => {
        calls++;
        for (const until = performance.now() + 50; performance.now() < until; );
      };
      const { wallSeconds, figures } = await timeScaled(opened.context, work, 55);
      const [before = 0, after = 0] = [
        figures.millionFpPerSecondAndCoreBefore,
        figures.millionFpPerSecondAndCoreAfter,
      ];
      expect({ calls, rates: before > 0 && after > 0 }).toEqual({ calls: 1, rates: true });
      expect(wallSeconds).toBeGreaterThanOrEqual(0.05);
      expect(figures.processorSeconds).toBeGreaterThan(0);
      expect(figures.scaledGoalSeconds).toBeCloseTo(goalFor(55, before, after), 0);
      const withoutGoal = await timeScaled(opened.context, work);
      expect(withoutGoal.figures).not.toHaveProperty('scaledGoalSeconds');
    } finally {
      opened.close();
    }
  });
});
