import { readFileSync } from 'node:fs';
import { afterEach, expect, it } from 'vitest';
import { ChaosFleet, WITNESS_BYTES } from '../testing/chaos-fleet.ts';

let fleet: ChaosFleet;
afterEach(() => fleet.close());

/**
 * Breaks: with 100 proofs queued there is no prover; later it comes, goes and comes back.
 * Holds: bytes of synthesized partitions never pass the hand-off cap, memory of the process is flat, work resumes by itself.
 * Printed: the peak, and what it would be if the permit were released at the end of synthesis.
 */
it('what is synthesized never passes the cap while GPUs are away', async () => {
  const CAP = 12 * WITNESS_BYTES;
  fleet = await ChaosFleet.open({
    cpu: { partitions: 4, synthesizeMs: 5, threads: 4 },
    coordinator: { handoffBytes: CAP, window: 1_000 },
  });
  const cpu = await fleet.cpu();
  for (let i = 0; i < 100; i++) await fleet.submit();
  const peaks = { stored: 0, permits: 0, resident: [] as number[] };
  const watch = async (ms: number): Promise<void> => {
    for (const end = performance.now() + ms; performance.now() < end; ) {
      let stored = 0;
      for await (const { ref, bytes } of fleet.service.artifacts.list('proofs/')) {
        if (ref.endsWith('.czwt')) stored += bytes;
      }
      peaks.stored = Math.max(peaks.stored, stored);
      peaks.permits = Math.max(peaks.permits, await fleet.permitBytes());
      peaks.resident.push(residentBytesOf(cpu.pid));
      await fleet.sleep(100);
    }
  };
  await watch(8_000);
  const [early, late] = [peaks.resident[10] ?? 0, peaks.resident.at(-1) ?? 0];
  const first = await fleet.prover('gpu-a', { devices: 4, proveMs: 20 });
  await watch(1_500);
  await first.end('SIGKILL');
  await watch(1_500);
  await fleet.prover('gpu-b', { devices: 8, proveMs: 5 });
  await fleet.allSucceeded(120_000);
  const without = 400 * WITNESS_BYTES;
  console.log(
    `peak of witnesses ${peaks.stored} bytes, permits ${peaks.permits}, cap ${CAP}; without the rule ${without}; memory ${early} to ${late}`,
  );
  // A killed prover gives back what was on its devices: that is the most that can come on top.
  expect(peaks.stored).toBeLessThanOrEqual(CAP + 4 * WITNESS_BYTES);
  expect(late - early).toBeLessThan(30 * 2 ** 20);
});

function residentBytesOf(pid: number): number {
  return 4096 * Number(readFileSync(`/proc/${pid}/statm`, 'utf8').split(' ')[1]);
}
