import { afterEach, expect, it } from 'vitest';
import { ChaosFleet } from '../testing/chaos-fleet.ts';

let fleet: ChaosFleet;
afterEach(() => fleet.close());

/**
 * Breaks: one prover has too little memory for the circuit and fails every partition.
 * Holds: each partition goes to the other one; all succeed.
 */
it('a prover that is too small leaves its partitions to a larger one', async () => {
  fleet = await ChaosFleet.open({ cpu: { partitions: 2 } });
  await fleet.cpu();
  await fleet.prover('gpu-small', { failShare: 1, failCode: 'GPU_OUT_OF_MEMORY', proveMs: 20 });
  await fleet.prover('gpu-large');
  for (let i = 0; i < 3; i++) await fleet.submit();
  const proofs = await fleet.allSucceeded();
  for (const { partitions } of proofs) {
    for (const { prover } of partitions) expect(prover).toBe('gpu-worker/gpu-large/0');
  }
});
