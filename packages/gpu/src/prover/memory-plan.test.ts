import { paramsCountsOf } from '@cuzk/core/groth16/params-layout';
import { expect, it } from 'vitest';
import { makeSample, makeSmall } from '../testing/sample-circuits.ts';
import { LARGE_GPU, planMemory } from './memory-plan.ts';

it('adds up, and counts every point of the parameters and of the tails', () => {
  const { shape, witness } = makeSmall('sha256-node');
  const plan = planMemory(shape, LARGE_GPU);
  const { h, l, a, b } = paramsCountsOf(shape);
  const tail = shape.inputs + witness.elements.byteLength / 32;
  // the missing last point of h has a place too
  expect(plan.srsBytes).toBe(96 * (h + 1 + l + a + b + 3 * tail) + 192 * (b + tail));
  expect(plan.residentBytes).toBe(plan.srsBytes + plan.shapeBytes);
  expect(plan.provingBytes).toBe(
    plan.residentBytes + plan.witnessBytes + plan.evaluationBytes + plan.scratchBytes,
  );
  expect(plan.evaluationBytes).toBe(2 * 32 * (h + 1));
});

it('grows with the circuit, and a software adapter needs less scratch', () => {
  const plans = [10, 100, 1000].map((instances) =>
    planMemory(makeSample(instances, 1).shape, LARGE_GPU),
  );
  const bytes = plans.map(({ srsBytes }) => srsBytes);
  expect(bytes).toEqual(bytes.toSorted((x, y) => x - y));
  expect(new Set(bytes).size).toBe(3);
  const software = { ...LARGE_GPU, software: true, maxBindingBytes: 2 ** 27 };
  const { shape } = makeSample(1000, 1);
  expect(planMemory(shape, software).scratchBytes).toBeLessThan(plans[2].scratchBytes);
});
