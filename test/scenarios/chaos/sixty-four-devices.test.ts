import { afterEach, expect } from 'vitest';
import { ChaosFleet, WITNESS_BYTES } from '../testing/chaos-fleet.ts';
import { itLong } from '../testing/long-scenario.ts';

let fleet: ChaosFleet;
afterEach(() => fleet?.close());

const PROCESSES = 4;
const DEVICES = 64;
const PROOFS = 1_000;
const PARTITIONS = 4;
/** What a 32 GiB partition takes an H200 (docs/performance.md). */
const PROVE_MS = 1_800;

/**
 * Breaks: 1,000 proofs come at once for 64 devices in four processes.
 * Holds: the devices are busy for 95 % of the time or more, from the first partition to the end of the last proof.
 * How: `proving` to `proved` of every partition, in the events, over 64 times the whole.
 */
itLong('sixty-four devices are busy until the last proof', async () => {
  fleet = await ChaosFleet.open({
    redis: { durable: false, settings: ['--appendonly', 'yes', '--appendfsync', 'everysec'] },
    cpu: { partitions: PARTITIONS, synthesizeMs: 100, threads: 32 },
    coordinator: { handoffBytes: 1_000 * WITNESS_BYTES, window: 128 },
  });
  await fleet.cpu();
  for (let i = 0; i < PROCESSES; i++) {
    await fleet.prover(`gpu-${i}`, { devices: DEVICES / PROCESSES, proveMs: PROVE_MS });
  }
  await fleet.submitMany(PROOFS);
  let [busyMs, firstAt, lastAt] = [0, Number.POSITIVE_INFINITY, 0];
  for (const id of fleet.ids) {
    const proof = await fleet.ended(id, 400_000);
    for (const { enteredAt } of proof.partitions) {
      const { proving = 0, proved = 0 } = enteredAt;
      busyMs += proved - proving;
      firstAt = Math.min(firstAt, proving);
    }
    lastAt = Math.max(lastAt, proof.endedAt ?? 0);
  }
  const share = busyMs / (DEVICES * (lastAt - firstAt));
  const workShare = (PROOFS * PARTITIONS * PROVE_MS) / (DEVICES * (lastAt - firstAt));
  console.log(
    `${PROOFS} proofs of ${PARTITIONS} partitions in ${((lastAt - firstAt) / 1000).toFixed(1)} s: devices busy ${(100 * share).toFixed(1)} % of it, ${(100 * workShare).toFixed(1)} % with the work itself`,
  );
  await fleet.allSucceeded();
  expect(share).toBeGreaterThan(0.95);
});
