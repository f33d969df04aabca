import { cancelRun } from '@cuzk/service-kit/record/run-control';
import { afterEach, expect, it } from 'vitest';
import { ChaosFleet } from '../testing/chaos-fleet.ts';

let fleet: ChaosFleet;
afterEach(() => fleet.close());

/**
 * Breaks: sixty proofs are cancelled while they are synthesized and proved.
 * Holds: p99 of the time from the request to the state `cancelled` is at most 1 s.
 */
it('99 of 100 cancels take less than a second', async () => {
  fleet = await ChaosFleet.open({ cpu: { partitions: 2 } });
  await fleet.cpu('cpu-a', { synthesizeMs: 200, threads: 8 });
  await fleet.prover('gpu-a', { proveMs: 5_000, devices: 8 });
  const took: number[] = [];
  for (let i = 0; i < 60; i++) {
    const id = await fleet.submit();
    await fleet.partitionIs(id, i % 2 === 0 ? 'synthesizing' : 'proving');
    const startedAt = Date.now();
    await cancelRun(fleet.service.redis, id, 'cancelled');
    took.push(((await fleet.ended(id)).endedAt ?? 0) - startedAt);
  }
  took.sort((a, b) => a - b);
  console.log(`cancel: p50 ${took[30]} ms, p99 ${took[59]} ms`);
  expect(took[59]).toBeLessThan(1_000);
  await fleet.assertClean();
});
