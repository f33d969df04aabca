import { afterEach, expect, it } from 'vitest';
import { ChaosFleet, lostIn } from '../testing/chaos-fleet.ts';

let fleet: ChaosFleet;
afterEach(() => fleet.close());

/**
 * Breaks: a prover process stands still for ever in the middle of a partition.
 * Holds: its silence is noticed, the partition is proved elsewhere; nobody waits for it.
 */
it('a prover that hangs is given up', async () => {
  fleet = await ChaosFleet.open({ cpu: { partitions: 1 } });
  await fleet.cpu();
  const hanging = await fleet.prover('gpu-a', { proveMs: 2_000 });
  const id = await fleet.submit();
  await fleet.partitionIs(id, 'proving');
  const startedAt = performance.now();
  hanging.freeze();
  await fleet.prover('gpu-b', { proveMs: 100 });
  await fleet.allSucceeded();
  console.log(`proved elsewhere ${Math.round(performance.now() - startedAt)} ms after the hang`);
  expect(lostIn(await fleet.events(id))).toBeLessThanOrEqual(1);
});
