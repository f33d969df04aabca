import { afterEach, expect, it } from 'vitest';
import { ChaosFleet } from '../testing/chaos-fleet.ts';

let fleet: ChaosFleet;
afterEach(() => fleet.close());

/**
 * Breaks: every CPU process is killed (-9) just when the last partition is proved.
 * Holds: finalize runs in the next process; one end in the events.
 */
it('a proof whose last partition is in is finished by the next process', async () => {
  fleet = await ChaosFleet.open({ cpu: { partitions: 1 } });
  const dying = await fleet.cpu('cpu-a');
  await fleet.prover('gpu-a', { proveMs: 1_500 });
  const id = await fleet.submit();
  await fleet.partitionIs(id, 'proving');
  await dying.end('SIGKILL');
  await fleet.partitionIs(id, 'proved');
  expect((await fleet.read(id)).state).toBe('finalizing');
  await fleet.cpu('cpu-b');
  await fleet.allSucceeded();
});
