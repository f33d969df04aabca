import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { sectorShape } from '@cuzk/core/porep/sector';
import { encodeShape } from '@cuzk/core/r1cs/shape-file';
import { afterAll, expect, it } from 'vitest';
import { sha256 } from '../circuits/node-hashes.ts';
import { readCachedShape, shapePath } from '../circuits/shape-cache.ts';
import { loadShapeApart } from './load-shape-apart.ts';

const cacheDir = mkdtempSync(join(tmpdir(), 'cuzk-shape-'));
afterAll(() => rmSync(cacheDir, { recursive: true, force: true }));
const sector = sectorShape(2048);

it('a circuit without a whole file in the cache is compiled with news, while the loop goes on; then it is read', async () => {
  mkdirSync(dirname(shapePath(cacheDir, sector)), { recursive: true });
  writeFileSync(shapePath(cacheDir, sector), 'half a file');
  const damage: string[] = [];
  const news: number[] = [];
  let longestMs = 0;
  let last = performance.now();
  const ticks = setInterval(() => {
    longestMs = Math.max(longestMs, performance.now() - last);
    last = performance.now();
  }, 20);
  const shape = await loadShapeApart(
    cacheDir,
    sector,
    (fraction) => news.push(fraction),
    (message) => damage.push(message),
  );
  clearInterval(ticks);
  expect(damage).toEqual([expect.stringContaining('damaged: length')]);
  expect(news.length).toBeGreaterThan(0);
  expect(news).toEqual(news.toSorted((a, b) => a - b));
  expect(longestMs).toBeLessThan(2_000);

  news.length = 0;
  expect((await loadShapeApart(cacheDir, sector, (f) => news.push(f))).shapeDigest).toBe(
    shape.shapeDigest,
  );
  expect(news).toEqual([]);

  const whole = readFileSync(shapePath(cacheDir, sector));
  whole[whole.length >> 1] ^= 4;
  writeFileSync(shapePath(cacheDir, sector), whole);
  const tell = (message: string): unknown => damage.push(message);
  expect(await readCachedShape(cacheDir, sector, tell)).toBeUndefined();
  expect(damage[1]).toMatch(/damaged: section segment \d [ABC] (terms|rowPointers), checksum/);

  // a whole file, of another circuit
  const other = encodeShape({ ...shape, shapeDigest: '00'.repeat(32) }, sha256);
  writeFileSync(shapePath(cacheDir, sector), other);
  expect(await readCachedShape(cacheDir, sector, tell)).toBeUndefined();
  expect(damage[2]).toContain('circuit is not the pinned one');
}, 60_000);
