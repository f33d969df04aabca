import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  canMountDisks,
  mountSmallDisk,
  unmountSmallDisks,
} from '@cuzk/service-kit/testing/small-disk';
import { afterEach, expect, it } from 'vitest';
import { ChaosFleet } from '../testing/chaos-fleet.ts';

let fleet: ChaosFleet;
afterEach(async () => {
  unmountSmallDisks();
  await fleet.close();
});

/**
 * Breaks: the artifact store is full when witnesses are written.
 * Holds: work waits without a failure, and goes on when there is room.
 */
it.skipIf(!canMountDisks())('a full store is waited for', async () => {
  fleet = await ChaosFleet.open({ cpu: { partitions: 2, witnessBytes: 60_000 } });
  const path = join(fleet.folder, 'artifacts');
  expect(mountSmallDisk('200k', path)).toBe(path);
  mkdirSync(join(path, '.writing'), { recursive: true });
  writeFileSync(join(path, 'ballast'), Buffer.alloc(120_000));
  await fleet.cpu();
  const id = await fleet.submit();
  await fleet.partitionIs(id, 'synthesizing');
  await fleet.sleep(3_000);
  expect((await fleet.read(id)).state).toBe('running');
  await fleet.prover();
  rmSync(join(path, 'ballast'));
  const [proof] = await fleet.allSucceeded();
  for (const { failures } of proof?.partitions ?? []) expect(failures.synthesize).toBe(0);
  const waited = (await fleet.events(id)).filter(({ data }) => data.handedBack === 'store full');
  expect(waited.length).toBeGreaterThan(0);
});
