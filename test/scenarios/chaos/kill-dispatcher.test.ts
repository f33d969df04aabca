import { afterEach, expect, it } from 'vitest';
import { ChaosFleet } from '../testing/chaos-fleet.ts';

let fleet: ChaosFleet;
afterEach(() => fleet.close());

/**
 * Breaks: the process that leads dispatch and reconciliation is killed (-9) with work waiting.
 * Holds: another one takes the lease (10 s) and goes on; nothing is dispatched twice.
 */
it('the next process leads when the leader is killed', async () => {
  fleet = await ChaosFleet.open();
  const leader = await fleet.cpu('cpu-a');
  await fleet.cpu('cpu-b');
  const ids = [await fleet.submit(), await fleet.submit()];
  await fleet.partitionIs(ids[0] as string, 'synthesized');
  await leader.end('SIGKILL');
  const killedAt = performance.now();
  await fleet.submit();
  await fleet.prover();
  await fleet.allSucceeded();
  const tookMs = performance.now() - killedAt;
  console.log(`three proofs done ${Math.round(tookMs)} ms after the kill of the leader`);
  expect(tookMs).toBeLessThan(30_000);
});
