import { afterEach, expect } from 'vitest';
import { ChaosFleet } from '../testing/chaos-fleet.ts';
import { itLong } from '../testing/long-scenario.ts';

let fleet: ChaosFleet;
afterEach(() => fleet?.close());

/**
 * Breaks: Redis is away for 60 s, twice as long as a lock of the queues.
 * Holds: no process ends; nothing is lost; work that was running is recorded when Redis is back, or was taken by
 * another owner and is then refused: each partition counts once.
 */
itLong('a minute without Redis, longer than any lock, loses nothing', async () => {
  fleet = await ChaosFleet.open({ coordinator: { quietMs: 15_000 } });
  const workers = [
    await fleet.cpu('cpu-a', { synthesizeMs: 3_000, threads: 6 }),
    // Still at work when Redis is back.
    await fleet.prover('gpu-a', { proveMs: 65_000, devices: 3 }),
  ];
  await fleet.submit();
  await fleet.partitionIs(fleet.ids[0] as string, 'proving');
  await fleet.submit();
  await fleet.partitionIs(fleet.ids[1] as string, 'synthesizing');
  await fleet.redis.kill();
  await fleet.sleep(60_000);
  await fleet.redis.restart();
  const backAt = performance.now();
  await fleet.prover('gpu-b', { proveMs: 500, devices: 2 });
  const proofs = await fleet.allSucceeded(180_000);
  const partitions = proofs.flatMap((proof) => proof.partitions);
  const repeated = partitions.filter(({ attempts }) => attempts.prove + attempts.synthesize > 2);
  console.log(
    `all done ${Math.round(performance.now() - backAt)} ms after Redis came back, ${repeated.length} of ${partitions.length} partitions done again`,
  );
  expect(workers.every(({ running }) => running)).toBe(true);
  for (const { failures } of partitions) expect(failures).toEqual({ synthesize: 0, prove: 0 });
});
