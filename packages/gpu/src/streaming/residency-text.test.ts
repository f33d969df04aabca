import { expect, it } from 'vitest';
import { residencyText } from './residency-text.ts';
import type { StreamPlan } from './stream-plan.ts';

it('says how a circuit is held', () => {
  expect(residencyText(null)).toBe('all on the device');
  const streamedBytes = { each: 2 ** 30, alone: 5 * 2 ** 29 };
  const plan = { streamedBytes, waiting: 10, residentPoints: 2 ** 20 } as StreamPlan;
  expect(residencyText(plan)).toBe(
    'streamed: 0.09 GiB of h stay, 2.50 GiB pass for a partition, 1.00 GiB with 10 waiting',
  );
});
