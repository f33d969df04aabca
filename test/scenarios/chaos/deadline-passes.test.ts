import { retryProof } from '@cuzk/service-kit/record/retry';
import { afterEach, expect, it } from 'vitest';
import { ChaosFleet } from '../testing/chaos-fleet.ts';

let fleet: ChaosFleet;
afterEach(() => fleet.close());

/**
 * Breaks: deadlines pass while proofs wait and while they are worked on.
 * Holds: they end as `expired` with the reason, work stops, permits are free; another run with a later deadline
 * succeeds.
 */
it('expired proofs stop, and may run again', async () => {
  fleet = await ChaosFleet.open({ cpu: { partitions: 1 } });
  await fleet.cpu();
  const soon = () => Date.now() + 3_000;
  const waiting = await fleet.submit({ deadlineAt: soon() });
  const slow = await fleet.prover('gpu-a', { proveMs: 60_000 });
  const working = await fleet.submit({ deadlineAt: soon() });
  for (const id of [waiting, working]) {
    const { state, problem } = await fleet.ended(id, 15_000);
    expect([state, problem?.code]).toEqual(['expired', 'DEADLINE_EXCEEDED']);
  }
  expect(await fleet.permitBytes()).toBe(0);
  await slow.end('SIGTERM');
  await fleet.prover('gpu-b');
  const { run, next } = await retryProof(fleet.service.redis, working, Date.now() + 60_000);
  await fleet.service.queues.addUnits(next);
  expect(run).toBe(2);
  expect((await fleet.ended(working)).state).toBe('succeeded');
  await fleet.assertClean();
});
