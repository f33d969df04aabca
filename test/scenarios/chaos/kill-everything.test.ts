import { afterEach, it } from 'vitest';
import { ChaosFleet } from '../testing/chaos-fleet.ts';

let fleet: ChaosFleet;
afterEach(() => fleet.close());

/**
 * Breaks: every process and Redis are killed (-9) with proofs at every stage.
 * Holds: an accepted proof survives; all succeed after a restart.
 */
it('accepted proofs survive the loss of everything', async () => {
  fleet = await ChaosFleet.open();
  const cpu = await fleet.cpu('cpu-a');
  const gpu = await fleet.prover('gpu-a', { proveMs: 400 });
  for (let i = 0; i < 6; i++) await fleet.submit();
  await fleet.partitionIs(fleet.ids[0] as string, 'proved');
  await Promise.all([cpu.end('SIGKILL'), gpu.end('SIGKILL')]);
  await fleet.redis.kill();
  await fleet.redis.restart();
  await fleet.cpu('cpu-b');
  await fleet.prover('gpu-b');
  await fleet.allSucceeded();
});
