import { afterEach, it } from 'vitest';
import { ChaosFleet } from '../testing/chaos-fleet.ts';

let fleet: ChaosFleet;
afterEach(() => fleet.close());

/**
 * Breaks: the leader stands still for longer than its lease and wakes up when another one leads.
 * Holds: nothing is dispatched twice, every partition counts once.
 */
it('two that think they lead do no harm', async () => {
  fleet = await ChaosFleet.open();
  const first = await fleet.cpu('cpu-a');
  await fleet.cpu('cpu-b');
  await fleet.submit();
  first.freeze();
  await fleet.sleep(11_000);
  for (let i = 0; i < 5; i++) await fleet.submit();
  first.thaw();
  for (let i = 0; i < 5; i++) await fleet.submit();
  await fleet.prover('gpu-a', { devices: 4 });
  await fleet.allSucceeded();
});
