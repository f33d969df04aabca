import type { Stage } from '@cuzk/service-kit/record/types';
import { afterEach, expect, it } from 'vitest';
import { ChaosFleet } from '../testing/chaos-fleet.ts';

const fleets: ChaosFleet[] = [];
afterEach(async () => {
  await Promise.all(fleets.splice(0).map((fleet) => fleet.close()));
});

const RECOVERY_MAX_MS = 15_000;

/** Kills the process that holds a job of this stage and has not claimed its unit; ms until the proof is there. */
async function recoveryOf(stage: Exclude<Stage, 'finalize'>): Promise<number> {
  const fleet = await ChaosFleet.open();
  fleets.push(fleet);
  const victim =
    stage === 'prove'
      ? await fleet.prover('gpu-stuck', { stuck: true })
      : await fleet.cpu('cpu-stuck', { stuckStage: stage });
  if (stage === 'prove') await fleet.cpu();
  await fleet.submit();
  await fleet.eventually(async () => {
    const depths = await fleet.service.queues.depths();
    return depths.some(({ queue, active }) => queue === stage && active > 0);
  }, 20_000);
  if (stage !== 'prove') await fleet.cpu();
  await fleet.prover('gpu-b');
  await victim.end('SIGKILL');
  const killedAt = performance.now();
  await fleet.allSucceeded();
  return performance.now() - killedAt;
}

/**
 * Breaks: a process is killed (-9) after it took a job from its queue and before it claimed the unit: the record knows
 * nothing of it. The dispatcher of the fleet dies with it where the stage is one of the CPU.
 * Holds: another process has the job, and the proof is there, 15 s after the kill at the latest.
 */
it('work taken and not claimed by a killed process goes on within 15 s', async () => {
  const stages = ['ingest', 'synthesize', 'prove'] as const;
  const took = await Promise.all(stages.map(recoveryOf));
  console.log(
    `proofs done after the kill: ${stages.map((stage, i) => `${stage} ${((took[i] ?? 0) / 1000).toFixed(1)} s`).join(', ')}`,
  );
  for (const ms of took) expect(ms).toBeLessThan(RECOVERY_MAX_MS);
});
