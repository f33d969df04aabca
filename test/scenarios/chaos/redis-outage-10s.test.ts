import { afterEach, expect, it } from 'vitest';
import { ChaosFleet } from '../testing/chaos-fleet.ts';

let fleet: ChaosFleet;
afterEach(() => fleet.close());

/**
 * Breaks: Redis is away for 10 s, less than a lock.
 * Holds: running work goes on and is recorded afterwards; nothing is lost and nothing is done twice.
 */
it('ten seconds without Redis lose nothing and repeat nothing', async () => {
  fleet = await ChaosFleet.open({ coordinator: { quietMs: 15_000 } });
  await fleet.cpu('cpu-a', { synthesizeMs: 3_000, threads: 4 });
  await fleet.prover('gpu-a', { proveMs: 4_000, devices: 4 });
  for (let i = 0; i < 3; i++) await fleet.submit();
  await fleet.partitionIs(fleet.ids[0] as string, 'proving');
  await fleet.redis.kill();
  await fleet.sleep(10_000);
  await fleet.redis.restart();
  const proofs = await fleet.allSucceeded(120_000);
  const partitions = proofs.flatMap((proof) => proof.partitions);
  expect(partitions.map(({ attempts }) => attempts)).toEqual(
    partitions.map(() => ({ synthesize: 1, prove: 1 })),
  );
  expect(partitions.map(({ losses }) => losses)).toEqual(partitions.map(() => 0));
});
