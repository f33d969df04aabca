import { afterEach, expect, it } from 'vitest';
import { ChaosFleet } from '../testing/chaos-fleet.ts';

let fleet: ChaosFleet;
afterEach(() => fleet.close());

/**
 * Breaks: the clock of one host is an hour ahead, that of another an hour behind.
 * Holds: the clock of Redis is the only one that counts: nothing is called silent or expired, all succeed at once.
 */
const shifted = (ms: number): string[] => [
  '--import',
  `data:text/javascript,${encodeURIComponent(`const now = Date.now; Date.now = () => now() + (${ms});`)}`,
];

it('clocks that are wrong do no harm', async () => {
  fleet = await ChaosFleet.open();
  const HOUR = 3_600_000;
  await fleet.cpu('cpu-a', {}, fleet.redis.url, shifted(HOUR));
  await fleet.prover('gpu-a', {}, fleet.redis.url, shifted(-HOUR));
  for (let i = 0; i < 3; i++) await fleet.submit({ deadlineAt: Date.now() + 60_000 });
  await fleet.sleep(9_000);
  const proofs = await fleet.allSucceeded();
  for (const { losses } of proofs.flatMap(({ partitions }) => partitions)) expect(losses).toBe(0);
});
