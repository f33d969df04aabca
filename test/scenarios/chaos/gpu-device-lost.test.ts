import { afterEach, expect, it } from 'vitest';
import { ChaosFleet } from '../testing/chaos-fleet.ts';

let fleet: ChaosFleet;
afterEach(() => fleet.close());

/**
 * Breaks: a prover loses its device in most partitions.
 * Holds: another attempt, elsewhere where there is another prover; the prover takes nothing before its self-test has
 * passed; all succeed.
 */
it('lost devices cost attempts, not proofs', async () => {
  fleet = await ChaosFleet.open();
  await fleet.cpu();
  await fleet.prover('gpu-a', { failShare: 0.6, failCode: 'GPU_DEVICE_LOST' });
  await fleet.prover('gpu-b');
  for (let i = 0; i < 8; i++) await fleet.submit();
  const proofs = await fleet.allSucceeded();
  const failures = proofs.flatMap(({ partitions }) => partitions.map((p) => p.failures.prove));
  expect(failures.reduce((sum, count) => sum + count, 0)).toBeGreaterThan(0);
  const again = proofs.flatMap(({ partitions }) =>
    partitions.filter((p) => p.failures.prove === 1),
  );
  expect(again.filter(({ prover }) => prover === 'gpu-worker/gpu-b/0').length).toBe(again.length);
});
