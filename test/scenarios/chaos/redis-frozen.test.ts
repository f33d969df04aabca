import { afterEach, expect, it } from 'vitest';
import { ChaosFleet } from '../testing/chaos-fleet.ts';

let fleet: ChaosFleet;
afterEach(() => fleet.close());

/**
 * Breaks: Redis stands still for 6 s with its connections open.
 * Holds: everybody waits; all succeed afterwards without a failure.
 */
it('a Redis that stands still is waited for', async () => {
  fleet = await ChaosFleet.open({ coordinator: { quietMs: 15_000 } });
  await fleet.cpu('cpu-a', { synthesizeMs: 500 });
  await fleet.prover('gpu-a', { proveMs: 500 });
  for (let i = 0; i < 3; i++) await fleet.submit();
  await fleet.partitionIs(fleet.ids[0] as string, 'proving');
  fleet.redis.freeze();
  await fleet.sleep(6_000);
  fleet.redis.thaw();
  const proofs = await fleet.allSucceeded();
  expect(proofs.flatMap(({ partitions }) => partitions.map((p) => p.failures.prove))).toEqual(
    Array(9).fill(0),
  );
});
