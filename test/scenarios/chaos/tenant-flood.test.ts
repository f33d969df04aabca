import { afterEach, expect } from 'vitest';
import { ChaosFleet, WITNESS_BYTES } from '../testing/chaos-fleet.ts';
import { itLong } from '../testing/long-scenario.ts';

let fleet: ChaosFleet;
afterEach(() => fleet?.close());

/**
 * Breaks: one tenant submits a flood, then another one submits a single urgent proof.
 * Holds: the urgent proof takes at most 1.5 times what it takes on an idle system.
 */
const FLOOD = 1_000;

itLong('a flood of one tenant does not hold up an urgent proof of another', async () => {
  fleet = await ChaosFleet.open({
    cpu: { partitions: 10, synthesizeMs: 20, threads: 8 },
    coordinator: { handoffBytes: 1_000 * WITNESS_BYTES, window: 16, urgentWindow: 16 },
  });
  await fleet.cpu();
  await fleet.prover('gpu-a', { devices: 2, proveMs: 800 });
  const tenant = (name: string) => ({ name, weight: 1, maxLiveProofs: null });
  const urgent = async (): Promise<number> => {
    const startedAt = performance.now();
    const id = await fleet.submit({ tenant: tenant('urgent'), priority: 'critical' });
    expect((await fleet.ended(id, 120_000)).state).toBe('succeeded');
    return performance.now() - startedAt;
  };
  await urgent(); // Everything is loaded then.
  const idleMs = await urgent();
  await fleet.submitMany(FLOOD, { tenant: tenant('flood') });
  const floodMs = await urgent();
  console.log(
    `urgent proof: ${Math.round(idleMs)} ms idle, ${Math.round(floodMs)} ms in a flood of ${FLOOD}: ${(floodMs / idleMs).toFixed(2)}×`,
  );
  expect(floodMs / idleMs).toBeLessThan(1.5);
});
