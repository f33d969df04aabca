import { TcpProxy } from '@cuzk/service-kit/testing/tcp-proxy';
import { afterEach, expect, it } from 'vitest';
import { ChaosFleet } from '../testing/chaos-fleet.ts';

let fleet: ChaosFleet;
afterEach(() => fleet.close());

/**
 * Breaks: the cable between one prover and Redis swallows everything for longer than an owner may be silent.
 * Holds: its partition goes to another prover; its late result is refused; the partition counts once.
 */
it('the result of a prover that was cut off is refused', async () => {
  fleet = await ChaosFleet.open({ cpu: { partitions: 1 } });
  await fleet.cpu();
  const cable = await TcpProxy.to(fleet.redis.port);
  const cut = await fleet.prover('gpu-a', { proveMs: 12_000 }, `redis://127.0.0.1:${cable.port}`);
  const id = await fleet.submit();
  await fleet.partitionIs(id, 'proving');
  cable.block();
  await fleet.prover('gpu-b', { proveMs: 100 });
  const proof = await fleet.ended(id, 30_000);
  expect(proof.state).toBe('succeeded');
  expect(proof.partitions[0]?.prover).toBe('gpu-worker/gpu-b/0');
  await fleet.sleep(3_000);
  cable.mend();
  await fleet.eventually(() => /"outcome":"(gone|stale|ended)"/.test(cut.log), 30_000);
  expect(await fleet.read(id)).toEqual(proof);
  await fleet.assertClean();
  await cable.close();
});
