import { readPresence } from '@cuzk/service-kit/presence/presence';
import { whyWaiting } from '@cuzk/service-kit/record/why-waiting';
import { afterEach, expect, it } from 'vitest';
import { ChaosFleet } from '../testing/chaos-fleet.ts';

let fleet: ChaosFleet;
afterEach(() => fleet.close());

/**
 * Breaks: jobs of an unknown version are in a queue, and the only prover has another circuit.
 * Holds: nobody takes them, work waits and says why; a prover with the circuit does it.
 */
it('work waits for a worker that can do it', async () => {
  fleet = await ChaosFleet.open({ cpu: { partitions: 1 } });
  await fleet.cpu();
  await fleet.prover('gpu-a', { circuits: ['another circuit'] });
  const id = await fleet.submit();
  await fleet.partitionIs(id, 'synthesized');
  await fleet.sleep(1_500);
  const proof = await fleet.read(id);
  expect(proof.partitions[0]?.attempts.prove).toBe(0);
  const why = await whyWaiting(fleet.service.redis, proof, await readPresence(fleet.service.redis));
  expect(why).toMatchObject({
    reason: 'No gpu-worker has the parameters of this circuit.',
    resource: 'gpu-worker',
  });
  await fleet.prover('gpu-b');
  const [done] = await fleet.allSucceeded();
  expect(done?.partitions[0]?.failures.prove).toBe(0);
});
