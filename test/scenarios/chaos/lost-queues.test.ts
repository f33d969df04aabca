import { afterEach, it } from 'vitest';
import { ChaosFleet } from '../testing/chaos-fleet.ts';

let fleet: ChaosFleet;
afterEach(() => fleet.close());

/**
 * Breaks: every queue key of BullMQ is deleted with work in all of them; jobs that are added meanwhile may lose their
 * place and keep their data.
 * Holds: the record is the truth: the reconciler adds the jobs again; all succeed.
 */
it('queues that vanish are filled again from the records', async () => {
  fleet = await ChaosFleet.open();
  await fleet.cpu('cpu-a', { synthesizeMs: 300 });
  for (let i = 0; i < 4; i++) await fleet.submit();
  await fleet.partitionIs(fleet.ids[0] as string, 'synthesized');
  const { redis } = fleet.service;
  for (const stage of ['ingest', 'synthesize', 'prove', 'finalize']) {
    const keys = await redis.keys(`{cuzk}:${stage}:*`);
    if (keys.length > 0) await redis.del(...keys);
  }
  await fleet.prover();
  await fleet.allSucceeded();
});
