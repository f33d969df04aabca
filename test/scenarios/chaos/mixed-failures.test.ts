import { afterEach, expect, it } from 'vitest';
import { ChaosFleet } from '../testing/chaos-fleet.ts';

let fleet: ChaosFleet;
afterEach(() => fleet.close());

/**
 * Breaks: syntheses and proofs fail at random, one in five.
 * Holds: attempts are repeated; all succeed; every partition counts once.
 */
it('failures at random cost attempts only', async () => {
  fleet = await ChaosFleet.open();
  await fleet.cpu('cpu-a', { failShare: 0.2, threads: 4 });
  await fleet.prover('gpu-a', { failShare: 0.2, devices: 2 });
  await fleet.prover('gpu-b', { failShare: 0.2, devices: 2 });
  for (let i = 0; i < 20; i++) await fleet.submit();
  const proofs = await fleet.allSucceeded();
  const failures = proofs.flatMap(({ partitions }) =>
    partitions.map((p) => p.failures.prove + p.failures.synthesize),
  );
  expect(failures.reduce((sum, count) => sum + count, 0)).toBeGreaterThan(5);
});
