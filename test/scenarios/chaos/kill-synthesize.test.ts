import { afterEach, expect, it } from 'vitest';
import { ChaosFleet } from '../testing/chaos-fleet.ts';

let fleet: ChaosFleet;
afterEach(() => fleet.close());

/**
 * Breaks: the process that synthesizes a partition is killed (-9) in the middle of it.
 * Holds: its partitions go to another process within 15 s, no failure is counted, the proof succeeds.
 */
it('a killed synthesis goes on elsewhere within 15 s', async () => {
  fleet = await ChaosFleet.open();
  const dying = await fleet.cpu('cpu-a', { synthesizeMs: 30_000 });
  await fleet.prover();
  const id = await fleet.submit();
  await fleet.partitionIs(id, 'synthesizing');
  await fleet.cpu('cpu-b');
  const killedAt = Date.now();
  await dying.end('SIGKILL');
  const [proof] = await fleet.allSucceeded();
  const events = await fleet.events(id);
  const back = events.filter(({ data }) => data.lost !== undefined).map(({ at }) => at - killedAt);
  console.log(`work of the killed process was taken back after ${back} ms`);
  expect(Math.max(...back)).toBeLessThan(15_000);
  expect(proof?.partitions.map(({ failures }) => failures.synthesize)).toEqual([0, 0, 0]);
});
