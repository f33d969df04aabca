import { expect, it } from 'vitest';
import {
  findSectorShape,
  parseSectorSize,
  publicInputCount,
  SECTOR_SHAPES,
  sectorShape,
  treePathLength,
} from './sector.ts';

it('has the ten rows of the parameter table', () => {
  const rows = SECTOR_SHAPES.map((s) => [
    s.name,
    Math.log2(s.nodes),
    s.layers,
    s.minimumChallenges,
    s.partitions,
    s.challengesPerPartition,
    `${s.tree.base}-${s.tree.sub}-${s.tree.top}`,
    s.commDDepth,
    s.basePathLength,
  ]);
  expect(rows).toEqual([
    ['2KiB', 6, 2, 2, 1, 2, '8-0-0', 6, 2],
    ['4KiB', 7, 2, 2, 1, 2, '8-2-0', 7, 2],
    ['16KiB', 9, 2, 2, 1, 2, '8-8-0', 9, 2],
    ['32KiB', 10, 2, 2, 1, 2, '8-8-2', 10, 2],
    ['8MiB', 18, 2, 2, 1, 2, '8-0-0', 18, 6],
    ['16MiB', 19, 2, 2, 1, 2, '8-2-0', 19, 6],
    ['512MiB', 24, 2, 2, 1, 2, '8-0-0', 24, 8],
    ['1GiB', 25, 2, 2, 1, 2, '8-2-0', 25, 8],
    ['32GiB', 30, 11, 176, 10, 18, '8-8-0', 30, 9],
    ['64GiB', 31, 11, 176, 10, 18, '8-8-2', 31, 9],
  ]);
});

it('counts path elements and public inputs', () => {
  expect(treePathLength(sectorShape(2 ** 11))).toBe(2);
  expect(treePathLength(sectorShape(2 ** 35))).toBe(10);
  expect(treePathLength(sectorShape(2 ** 36))).toBe(11);
  expect(publicInputCount(sectorShape(2 ** 11))).toBe(39);
  expect(publicInputCount(sectorShape(2 ** 35))).toBe(327);
});

it('reads sizes as people write them and refuses others', () => {
  expect(parseSectorSize('2KiB')).toBe(2048);
  expect(parseSectorSize('32 gib')).toBe(2 ** 35);
  for (const text of ['', '2KB', '2048', '128GiB', '8MiB2']) {
    expect(() => parseSectorSize(text)).toThrow(RangeError);
  }
});

it('knows no shape for a size that is not in the table', () => {
  expect(findSectorShape(1024)).toBeUndefined();
  expect(() => sectorShape(1024)).toThrow(/expected one of 2KiB.*got 1024/);
});
