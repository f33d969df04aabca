import { afterEach, expect, it } from 'vitest';
import { ChaosFleet } from '../testing/chaos-fleet.ts';

let fleet: ChaosFleet;
afterEach(() => fleet.close());

/**
 * Breaks: a critical proof comes while a normal one with many partitions is half way.
 * Holds: it overtakes between partitions and is done first.
 */
it('an urgent proof overtakes between partitions', async () => {
  fleet = await ChaosFleet.open({ cpu: { partitions: 12, synthesizeMs: 10 } });
  await fleet.cpu();
  await fleet.prover('gpu-a', { proveMs: 200 });
  const slow = await fleet.submit();
  await fleet.partitionIs(slow, 'proved');
  const urgent = await fleet.submit({ priority: 'critical' });
  await fleet.ended(urgent);
  const proved = (await fleet.read(slow)).partitions.filter(
    ({ state }) => state === 'proved',
  ).length;
  console.log(`the normal proof had ${proved} of 12 partitions when the urgent one was done`);
  expect(proved).toBeLessThan(12);
  await fleet.allSucceeded();
});
