import { readPresence } from '@cuzk/service-kit/presence/presence';
import { whyWaiting } from '@cuzk/service-kit/record/why-waiting';
import { addForeignJob } from '@cuzk/service-kit/testing/foreign-job';
import { afterEach, expect, it } from 'vitest';
import { ChaosFleet } from '../testing/chaos-fleet.ts';

let fleet: ChaosFleet;
afterEach(() => fleet.close());

/**
 * Breaks: the only prover has the parameters of another circuit.
 * Holds: it does not take the partition, the proof says what it waits for; a prover with the circuit does it.
 */
it('work waits for a prover that has its circuit', async () => {
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

/**
 * Breaks: the job of a partition has the form of a later version, as in the middle of an upgrade.
 * Holds: the worker of this version leaves it alone and says so; it is there for a later one; nothing is used up.
 */
it('a job of an unknown version is left alone', async () => {
  fleet = await ChaosFleet.open({ cpu: { partitions: 1 } });
  const id = await fleet.submit();
  const unit = { proofId: id, run: 1, stage: 'prove', partition: 0, attempt: 1 } as const;
  const job = await addForeignJob(fleet.service.redis, unit, 2);
  const prover = await fleet.prover('gpu-a');
  await fleet.eventually(() => prover.log.includes('job of an unknown version left alone'));
  await fleet.cpu();
  await fleet.partitionIs(id, 'synthesized');
  await fleet.sleep(2_500); // A tick of the reconciler: it does not put its own in the place of the job.
  expect([await job.state(), (await fleet.read(id)).partitions[0]?.attempts.prove]).toEqual([
    'delayed',
    0,
  ]);
  await job.remove();
  const [done] = await fleet.allSucceeded();
  expect(done?.partitions[0]?.attempts).toEqual({ synthesize: 1, prove: 1 });
});
