import { retryProof } from '@cuzk/service-kit/record/retry';
import { afterEach, expect, it } from 'vitest';
import { ChaosFleet } from '../testing/chaos-fleet.ts';

let fleet: ChaosFleet;
afterEach(() => fleet.close());

/**
 * Breaks: a proof fails for good after half of its partitions were proved.
 * Holds: another run proves only the rest.
 */
it('another run proves only what is missing', async () => {
  fleet = await ChaosFleet.open({ cpu: { partitions: 4 } });
  await fleet.cpu('cpu-a', { threads: 1 });
  const good = await fleet.prover('gpu-a');
  const id = await fleet.submit();
  await fleet.eventually(
    async () =>
      (await fleet.read(id)).partitions.filter(({ state }) => state === 'proved').length >= 2,
  );
  await good.end('SIGTERM');
  const bad = await fleet.prover('gpu-b', {
    failShare: 1,
    failCode: 'WITNESS_UNSATISFIED',
    proveMs: 20,
  });
  const failed = await fleet.ended(id);
  expect(failed.state).toBe('failed');
  await bad.end('SIGTERM');
  const { reused, next } = await retryProof(fleet.service.redis, id);
  expect(reused).toBeGreaterThanOrEqual(2);
  await fleet.service.queues.addUnits(next);
  await fleet.prover('gpu-c');
  const proof = await fleet.ended(id);
  expect([proof.state, proof.run]).toEqual(['succeeded', 2]);
  const makers = proof.partitions.map(({ prover }) => prover?.split('/')[1]);
  expect(makers.filter((maker) => maker === 'gpu-a')).toHaveLength(reused);
  await fleet.assertClean();
});
