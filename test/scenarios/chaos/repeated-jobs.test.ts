import { waitingUnits } from '@cuzk/service-kit/record/run-control';
import { afterEach, it } from 'vitest';
import { ChaosFleet } from '../testing/chaos-fleet.ts';

let fleet: ChaosFleet;
afterEach(() => fleet.close());

/**
 * Breaks: every job is added five times, also long after its unit has passed.
 * Holds: a late or repeated job changes nothing; every partition counts once.
 */
it('jobs that come again and again do nothing', async () => {
  fleet = await ChaosFleet.open();
  await fleet.cpu();
  await fleet.prover();
  const id = await fleet.submit();
  const { queues, redis } = fleet.service;
  const stale = (await waitingUnits(redis, id)).next;
  for (let i = 0; i < 3; i++) await fleet.submit();
  while ((await fleet.read(id)).endedAt === null) {
    await queues.addUnits([...stale, ...(await waitingUnits(redis, id)).next]);
    await fleet.sleep(50);
  }
  for (let i = 0; i < 5; i++) await queues.addUnits(stale);
  await fleet.allSucceeded();
});
