import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { ChaosFleet } from '../testing/chaos-fleet.ts';

let fleet: ChaosFleet;
afterEach(() => fleet.close());

/**
 * Breaks: the artifact store is full when witnesses are written.
 * Holds: work waits without a failure, and goes on when there is room.
 */
const mounted: string[] = [];
afterEach(() => {
  for (const path of mounted.splice(0)) spawnSync('umount', ['-l', path]);
});
const canMount = (): boolean => {
  const path = mkdtempSync(join(tmpdir(), 'cuzk-mount-'));
  const done = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', path]).status === 0;
  if (done) spawnSync('umount', ['-l', path]);
  return done;
};
const able = canMount();
if (!able) console.log('skipped: a small file system cannot be mounted here');

it.skipIf(!able)('a full store is waited for', async () => {
  fleet = await ChaosFleet.open({ cpu: { partitions: 2, witnessBytes: 60_000 } });
  const path = join(fleet.folder, 'artifacts');
  expect(spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=200k', 'tmpfs', path]).status).toBe(0);
  mounted.push(path);
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
