import { readPresence } from '@cuzk/service-kit/presence/presence';
import { whyWaiting } from '@cuzk/service-kit/record/why-waiting';
import { afterEach, expect, it } from 'vitest';
import { ChaosFleet } from '../testing/chaos-fleet.ts';

let fleet: ChaosFleet;
afterEach(() => fleet.close());

/**
 * Breaks: all provers stop in order with work on them, nobody is there for a while, then others come.
 * Holds: work is handed back at once, waits, says why, and goes on.
 */
it('a fleet without provers waits and goes on', async () => {
  fleet = await ChaosFleet.open({ cpu: { partitions: 2 } });
  await fleet.cpu();
  const only = await fleet.prover('gpu-a', { proveMs: 30_000 });
  const id = await fleet.submit();
  await fleet.partitionIs(id, 'proving');
  const { code, tookMs } = await only.end('SIGTERM');
  expect(code).toBe(0);
  expect(tookMs).toBeLessThan(1_500);
  const proof = await fleet.read(id);
  expect(proof.partitions.map(({ state }) => state)).not.toContain('proving');
  const { redis } = fleet.service;
  const why = await whyWaiting(redis, proof, await readPresence(redis));
  expect(why.reason).toBe('No gpu-worker is running.');
  await fleet.prover('gpu-b');
  const [done] = await fleet.allSucceeded();
  expect(done?.partitions.map(({ failures }) => failures.prove)).toEqual([0, 0]);
});
