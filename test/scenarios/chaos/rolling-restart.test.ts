import { afterEach, expect, it } from 'vitest';
import { ChaosFleet } from '../testing/chaos-fleet.ts';

let fleet: ChaosFleet;
afterEach(() => fleet.close());

/**
 * Breaks: every worker is stopped with SIGTERM and started again, one after the other, twice, during ten proofs.
 * Holds: 0 failed, 0 duplicated; every stop takes at most 1 s and exits 0; no attempt counts as a failure or a loss.
 */
it('a rolling restart loses nothing', async () => {
  fleet = await ChaosFleet.open();
  const running = [
    await fleet.cpu('cpu-a', { synthesizeMs: 300 }),
    await fleet.prover('gpu-a', { proveMs: 300 }),
  ];
  for (let i = 0; i < 10; i++) await fleet.submit();
  const stops: number[] = [];
  for (let round = 0; round < 2; round++) {
    for (const [i, old] of running.entries()) {
      const { code, tookMs } = await old.end('SIGTERM');
      expect(code).toBe(0);
      stops.push(Math.round(tookMs));
      running[i] =
        i === 0
          ? await fleet.cpu('cpu-a', { synthesizeMs: 300 })
          : await fleet.prover('gpu-a', { proveMs: 300 });
    }
  }
  const proofs = await fleet.allSucceeded(90_000);
  console.log(`stops took ${stops} ms`);
  expect(Math.max(...stops)).toBeLessThan(1_500);
  for (const { failures, losses } of proofs.flatMap(({ partitions }) => partitions)) {
    expect([failures, losses]).toEqual([{ synthesize: 0, prove: 0 }, 0]);
  }
});
