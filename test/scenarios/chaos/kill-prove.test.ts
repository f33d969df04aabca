import { afterEach, expect, it } from 'vitest';
import { ChaosFleet, WITNESS_BYTES } from '../testing/chaos-fleet.ts';

let fleet: ChaosFleet;
afterEach(() => fleet.close());

/**
 * Breaks: a prover is killed (-9) while it proves, after it gave its hand-off permit back.
 * Holds: recovery within 15 s; the witness that waits again takes its permit again; the proof succeeds with no failure
 * counted.
 */
it('a killed prover loses nothing, and its witness has a permit again', async () => {
  fleet = await ChaosFleet.open({ cpu: { partitions: 1 } });
  await fleet.cpu();
  const dying = await fleet.prover('gpu-a', { proveMs: 60_000 });
  const id = await fleet.submit();
  await fleet.partitionIs(id, 'proving');
  const uploaded = await fleet.eventually(async () =>
    (await fleet.events(id)).some(({ type }) => type === 'uploaded'),
  );
  expect([uploaded, await fleet.permitBytes()]).toEqual([true, 0]);
  const killedAt = performance.now();
  await dying.end('SIGKILL');
  await fleet.partitionIs(id, 'synthesized');
  const tookMs = performance.now() - killedAt;
  console.log(`taken back ${Math.round(tookMs)} ms after the kill`);
  expect(tookMs).toBeLessThan(15_000);
  expect(await fleet.permitBytes()).toBe(WITNESS_BYTES);
  await fleet.prover('gpu-b');
  const [proof] = await fleet.allSucceeded();
  expect(proof?.partitions[0]).toMatchObject({ losses: 1, failures: { prove: 0 } });
});
