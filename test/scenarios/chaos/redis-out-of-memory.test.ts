import { afterEach, expect, it } from 'vitest';
import { ChaosFleet } from '../testing/chaos-fleet.ts';

let fleet: ChaosFleet;
afterEach(() => fleet.close());

/**
 * Breaks: Redis reaches its memory limit while work is running, and takes no write.
 * Holds: finished work waits and is recorded when there is room; nothing is lost, no failure is counted.
 */
it('a full Redis keeps finished work waiting, and loses none', async () => {
  fleet = await ChaosFleet.open();
  await fleet.cpu('cpu-a', { synthesizeMs: 1_500 });
  await fleet.prover('gpu-a', { proveMs: 1_500 });
  for (let i = 0; i < 2; i++) await fleet.submit();
  await fleet.partitionIs(fleet.ids[0] as string, 'proving');
  const { redis } = fleet.service;
  await redis.config('SET', 'maxmemory', '1mb');
  await expect(fleet.submit()).rejects.toThrow(/OOM/);
  await fleet.sleep(5_000);
  await redis.config('SET', 'maxmemory', '0');
  const proofs = await fleet.allSucceeded();
  for (const { partitions } of proofs) {
    for (const { failures } of partitions) expect(failures).toEqual({ synthesize: 0, prove: 0 });
  }
});
