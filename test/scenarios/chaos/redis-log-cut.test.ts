import { afterEach, expect, it } from 'vitest';
import { ChaosFleet } from '../testing/chaos-fleet.ts';

let fleet: ChaosFleet;
afterEach(() => fleet.close());

/** Some dozens of the last changes, the last one cut in the middle. */
const CUT_BYTES = 20_001;

/**
 * Breaks: Redis is killed with work at every stage, and comes back without the last part of its append-only file.
 * Holds: whole changes are missing, never half of one; what is behind them is done again; results that no longer fit
 * the record are refused; all proofs of before the cut succeed, each partition counting once.
 */
it('a Redis that lost its last moments has them again', async () => {
  fleet = await ChaosFleet.open({ coordinator: { quietMs: 3_000 } });
  await fleet.cpu('cpu-a', { synthesizeMs: 200, threads: 2 });
  const [early] = [await fleet.submit(), await fleet.submit(), await fleet.submit()];
  const prover = await fleet.prover('gpu-a', { proveMs: 400, devices: 2 });
  await fleet.eventually(
    async () =>
      (await fleet.read(early as string)).partitions.every(({ state }) => state === 'proved'),
    30_000,
  );
  const before = await fleet.read(fleet.ids[1] as string);
  await fleet.redis.kill();
  fleet.redis.cutLog(CUT_BYTES);
  await fleet.redis.restart();
  const after = await fleet.read(fleet.ids[1] as string);
  expect(after.updatedAt).toBeLessThan(before.updatedAt);
  await fleet.allSucceeded(90_000);
  const refused = [...prover.log.matchAll(/"outcome":"(stale|gone|ended)"/g)].length;
  console.log(`results that no longer fitted: ${refused}`);
});
