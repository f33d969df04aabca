import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, utimesSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, expect, it } from 'vitest';
import type { ArtifactRef } from '../record/types.ts';
import { canMountDisks, mountSmallDisk, unmountSmallDisks } from '../testing/small-disk.ts';
import { LocalCopies } from './local-copies.ts';

let folder: string;
let copies: LocalCopies;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'cuzk-copies-'));
  copies = await LocalCopies.open(folder);
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));
afterAll(unmountSmallDisks);

const COUNT = 96;
const textOf = (i: number): string => `artifact ${i}`;
function pathOf(i: number): Promise<string> {
  const bytes = Buffer.from(textOf(i));
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  const artifact: ArtifactRef = { ref: `a/${i}`, bytes: bytes.length, sha256 };
  return copies.pathOf(artifact, async function* () {
    yield bytes;
  });
}

it('a copy that was just asked for is there until it can be read, however many are asked for', async () => {
  // As on a host with many cores, each of which begins a partition.
  const paths = await Promise.all(Array.from({ length: COUNT }, (_, i) => pathOf(i)));
  expect(paths.map((path) => readFileSync(path, 'utf8'))).toEqual(paths.map((_, i) => textOf(i)));
});

it('old copies go, the oldest first', async () => {
  for (let i = 0; i < 40; i++) {
    const at = new Date(Date.now() - (100 - i) * 60_000);
    utimesSync(await pathOf(i), at, at);
  }
  const last = await pathOf(40);
  const left = readdirSync(folder);
  expect(left).toHaveLength(32);
  expect(left).toContain(last.slice(folder.length + 1));
  expect(readFileSync(await pathOf(0), 'utf8')).toBe(textOf(0));
});

it.skipIf(!canMountDisks())(
  'where the disk is full the work waits, and no half of a copy stays',
  async () => {
    const disk = mountSmallDisk('64k') as string;
    const small = await LocalCopies.open(disk);
    const artifact = { ref: 'a/large', bytes: 100_000, sha256: 'a'.repeat(64) };
    const copy = small.pathOf(artifact, async function* () {
      for (let i = 0; i < 10; i++) yield Buffer.alloc(10_000);
    });
    await expect(copy).rejects.toMatchObject({ code: 'CAPACITY_EXHAUSTED' });
    expect(readdirSync(disk)).toEqual([]);
  },
);
