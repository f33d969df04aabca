import { afterEach, expect, it } from 'vitest';
import { ChaosFleet } from '../testing/chaos-fleet.ts';

let fleet: ChaosFleet;
afterEach(() => fleet.close());

/**
 * Breaks: Redis is killed (-9) and comes back, at once or after 5 s, while partitions are synthesized and proved.
 * Holds: running work goes on; nothing is repeated.
 */
it.each([0, 5_000])('a restart of Redis after %d ms repeats nothing', async (awayMs) => {
  fleet = await ChaosFleet.open({ coordinator: { quietMs: 15_000 } });
  await fleet.cpu('cpu-a', { synthesizeMs: 1_000 });
  await fleet.prover('gpu-a', { proveMs: 1_000, devices: 2 });
  for (let i = 0; i < 3; i++) await fleet.submit();
  await fleet.partitionIs(fleet.ids[0] as string, 'proving');
  await fleet.redis.kill();
  await fleet.sleep(awayMs);
  await fleet.redis.restart();
  const proofs = await fleet.allSucceeded();
  const attempts = proofs.flatMap(({ partitions }) => partitions.map((p) => p.attempts));
  expect(attempts).toEqual(attempts.map(() => ({ synthesize: 1, prove: 1 })));
});
