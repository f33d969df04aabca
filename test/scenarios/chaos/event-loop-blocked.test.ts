import { afterEach, expect, it } from 'vitest';
import { ChaosFleet } from '../testing/chaos-fleet.ts';

let fleet: ChaosFleet;
afterEach(() => fleet.close());

/**
 * Breaks: a prover's event loop is blocked for 12 s, longer than an owner may be silent, and then it goes on.
 * Holds: the partition is done elsewhere; what the late one submits is refused.
 */
it('a late result of a blocked process changes nothing', async () => {
  fleet = await ChaosFleet.open({ cpu: { partitions: 1 } });
  await fleet.cpu();
  const blocked = await fleet.prover('gpu-a', { proveMs: 3_000 });
  const id = await fleet.submit();
  await fleet.partitionIs(id, 'proving');
  blocked.freeze();
  await fleet.prover('gpu-b', { proveMs: 100 });
  const proof = await fleet.ended(id);
  expect(proof.partitions[0]?.prover).toBe('gpu-worker/gpu-b/0');
  blocked.thaw();
  await fleet.eventually(
    () => blocked.log.includes('"msg":"unit done"') || blocked.log.includes('handed back'),
    15_000,
  );
  expect(await fleet.read(id)).toEqual(proof);
  await fleet.assertClean();
});
