import { describe, expect, it } from 'vitest';
import { maxArenaPoints } from '../curve/pair-tree.ts';
import { POINT_BYTES } from '../curve/point-segments.ts';
import type { DeviceTraits } from '../device/context.ts';
import { planFixedBase } from './fixed-base-plan.ts';

const traits = (maxBindingBytes: number): DeviceTraits => ({
  description: 'test',
  software: true,
  maxBindingBytes,
  maxBufferBytes: 2 ** 40,
  workgroupBytes: 16_384,
  workgroupInvocations: 256,
  storageBuffersPerStage: 8,
  timestamps: false,
});

describe('fixed-base plan', () => {
  it('takes 15 windows for ten million points of G1 in 128 MiB bindings, 16 for G2', () => {
    expect(planFixedBase(10_200_000, traits(2 ** 27), 'g1').shape.windows).toBe(15);
    expect(planFixedBase(690_000, traits(2 ** 27), 'g2').shape.windows).toBe(16);
  });

  it('takes a small table for few points, and a larger one in larger bindings', () => {
    expect(planFixedBase(10, traits(2 ** 27), 'g1').tableRows).toBeLessThan(1000);
    expect(planFixedBase(10_200_000, traits(2 ** 31 - 4), 'g1').shape.windows).toBeLessThan(15);
  });

  it.each(['g1', 'g2'] as const)('fits table and sums of %s into bindings', (group) => {
    for (const bytes of [2 ** 20, 2 ** 27, 2 ** 31 - 4]) {
      for (const count of [0, 1, 1000, 10 ** 6, 10 ** 8]) {
        const device = traits(bytes);
        const plan = planFixedBase(count, device, group);
        expect((plan.tableRows + 1) * POINT_BYTES[group]).toBeLessThanOrEqual(bytes);
        expect(plan.chunk * (plan.shape.windows - 1)).toBeLessThanOrEqual(
          maxArenaPoints(device, group),
        );
        expect(plan.chunk).toBeGreaterThan(0);
      }
    }
  });
});
