import { cancelRun } from '@cuzk/service-kit/record/run-control';
import { afterEach, expect, it } from 'vitest';
import { ChaosFleet, WITNESS_BYTES } from '../testing/chaos-fleet.ts';

let fleet: ChaosFleet;
afterEach(() => fleet.close());

/**
 * Breaks: proofs are cancelled in each state they can be in.
 * Holds: cancelled within 1 s; permits and artifacts gone; nothing of them comes back.
 */
it('a cancel ends a proof within a second, whatever it is doing', async () => {
  fleet = await ChaosFleet.open({
    cpu: { partitions: 1 },
    coordinator: { handoffBytes: 2 * WITNESS_BYTES },
  });
  const took: Record<string, number> = {};
  const cancel = async (state: string, id: string): Promise<void> => {
    const startedAt = performance.now();
    await cancelRun(fleet.service.redis, id, 'cancelled');
    expect((await fleet.ended(id)).state).toBe('cancelled');
    took[state] = Math.round(performance.now() - startedAt);
  };
  await cancel('received', await fleet.submit());
  const cpu = await fleet.cpu('cpu-a', { synthesizeMs: 60_000 });
  const slow = await fleet.submit();
  await fleet.partitionIs(slow, 'synthesizing');
  await cancel('synthesizing', slow);
  await cpu.end('SIGTERM');
  await fleet.cpu('cpu-b');
  const ready = [await fleet.submit(), await fleet.submit()];
  for (const id of ready) await fleet.partitionIs(id, 'synthesized');
  const denied = await fleet.submit();
  await fleet.partitionIs(denied, 'pending');
  await cancel('pending', denied);
  await cancel('synthesized', ready[0] as string);
  await fleet.prover('gpu-a', { proveMs: 60_000 });
  await fleet.partitionIs(ready[1] as string, 'proving');
  await cancel('proving', ready[1] as string);
  console.log(`cancelled after ms: ${JSON.stringify(took)}`);
  expect(Math.max(...Object.values(took))).toBeLessThan(1_000);
  await fleet.assertClean();
});
