import { afterEach, expect, it } from 'vitest';
import { ChaosFleet } from '../testing/chaos-fleet.ts';

let fleet: ChaosFleet;
afterEach(() => fleet.close());

/**
 * Breaks: the process that checks a C1 is killed (-9).
 * Holds: another one checks it; the proof succeeds.
 */
it('a killed ingest is done again', async () => {
  fleet = await ChaosFleet.open();
  // The C1 is claimed by a process that stands still and then dies.
  const dying = await fleet.cpu('cpu-a');
  dying.freeze();
  const id = await fleet.submit();
  await dying.end('SIGKILL');
  await fleet.cpu('cpu-b');
  await fleet.prover();
  await fleet.allSucceeded();
  expect((await fleet.read(id)).attempts.ingest).toBeGreaterThanOrEqual(1);
});
