import { TcpProxy } from '@cuzk/service-kit/testing/tcp-proxy';
import { afterEach, expect, it } from 'vitest';
import { ChaosFleet } from '../testing/chaos-fleet.ts';

let fleet: ChaosFleet;
afterEach(() => fleet.close());

/**
 * Breaks: the connection between a prover and Redis is cut for 3 s.
 * Holds: its work goes on and counts; nothing is repeated.
 */
it('a short cut goes unnoticed by the work', async () => {
  fleet = await ChaosFleet.open({ cpu: { partitions: 1 } });
  await fleet.cpu();
  const cable = await TcpProxy.to(fleet.redis.port);
  await fleet.prover('gpu-a', { proveMs: 5_000 }, `redis://127.0.0.1:${cable.port}`);
  const id = await fleet.submit();
  await fleet.partitionIs(id, 'proving');
  cable.cut();
  await fleet.sleep(3_000);
  cable.mend();
  const [proof] = await fleet.allSucceeded();
  expect(proof?.partitions[0]?.attempts).toEqual({ synthesize: 1, prove: 1 });
  await cable.close();
});
