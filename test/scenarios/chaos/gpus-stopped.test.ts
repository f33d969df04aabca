import { readFileSync } from 'node:fs';
import { HANDOFF_POOL, releasePermit } from '@cuzk/service-kit/permits/permits';
import { afterEach, expect, it } from 'vitest';
import { ChaosFleet, WITNESS_BYTES } from '../testing/chaos-fleet.ts';
import { itLong } from '../testing/long-scenario.ts';

let fleet: ChaosFleet;
afterEach(() => fleet.close());

const CAP = 12 * WITNESS_BYTES;

/** Bytes of all witnesses in the store. */
async function storedBytes(): Promise<number> {
  let stored = 0;
  for await (const { ref, bytes } of fleet.service.artifacts.list('proofs/')) {
    if (ref.endsWith('.czwt')) stored += bytes;
  }
  return stored;
}

/**
 * Breaks: with 100 proofs queued there is no prover; later it comes, goes and comes back.
 * Holds: bytes of synthesized partitions never pass the hand-off cap, memory of the process is flat, work resumes by
 * itself.
 */
it('what is synthesized never passes the cap while GPUs are away', async () => {
  fleet = await ChaosFleet.open({
    cpu: { partitions: 4, synthesizeMs: 5, threads: 4 },
    coordinator: { handoffBytes: CAP, window: 1_000 },
  });
  const cpu = await fleet.cpu();
  await fleet.submitMany(100);
  const peaks = { stored: 0, permits: 0, resident: [] as number[] };
  const watch = async (ms: number): Promise<void> => {
    for (const end = performance.now() + ms; performance.now() < end; ) {
      peaks.stored = Math.max(peaks.stored, await storedBytes());
      peaks.permits = Math.max(peaks.permits, await fleet.permitBytes());
      peaks.resident.push(residentBytesOf(cpu.pid));
      await fleet.sleep(100);
    }
  };
  await watch(8_000);
  const away = peaks.stored;
  expect(away).toBeLessThanOrEqual(CAP);
  const [early, late] = [peaks.resident[10] ?? 0, peaks.resident.at(-1) ?? 0];
  const first = await fleet.prover('gpu-a', { devices: 4, proveMs: 20 });
  await watch(1_500);
  await first.end('SIGKILL');
  await watch(1_500);
  await fleet.prover('gpu-b', { devices: 8, proveMs: 5 });
  await fleet.allSucceeded(120_000);
  console.log(
    `peak of witnesses without GPUs ${away} bytes, with those on devices ${peaks.stored}, permits ${peaks.permits}, cap ${CAP}; memory ${early} to ${late}`,
  );
  // On devices is what was taken in; a killed prover gives that back, on top of the cap.
  expect(peaks.stored).toBeLessThanOrEqual(CAP + 4 * WITNESS_BYTES);
  expect(late - early).toBeLessThan(30 * 2 ** 20);
});

/**
 * Breaks: the rule itself. With the same fleet the permit of a partition is given back as soon as it is synthesized.
 * Holds: then nothing bounds what piles up while GPUs are away: all 400 witnesses, 33 times the cap.
 */
itLong('without the rule, witnesses pile up', async () => {
  fleet = await ChaosFleet.open({
    cpu: { partitions: 4, synthesizeMs: 5, threads: 4 },
    coordinator: { handoffBytes: CAP, window: 1_000 },
  });
  await fleet.cpu();
  await fleet.submitMany(100);
  const { redis } = fleet.service;
  await fleet.eventually(async () => {
    const synthesized = await redis.zrange('{cuzk}:provable', '0', '-1');
    for (const member of synthesized) {
      const [id, partition] = member.split(':');
      await releasePermit(redis, HANDOFF_POOL, `${id}.r1.${partition}`);
    }
    return synthesized.length === 400;
  }, 120_000);
  const peakBytes = await storedBytes();
  expect(peakBytes).toBe(400 * WITNESS_BYTES);
  console.log(`peak of witnesses with the permit released at the end of synthesis ${peakBytes}`);
  await fleet.prover('gpu-a', { devices: 8, proveMs: 5 });
  await fleet.allSucceeded(120_000);
});

function residentBytesOf(pid: number): number {
  return 4096 * Number(readFileSync(`/proc/${pid}/statm`, 'utf8').split(' ')[1]);
}
