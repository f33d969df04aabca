import { mkdtempSync, readFileSync, rmSync, truncateSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { g1 } from '@cuzk/core/curve/g1';
import { g2 } from '@cuzk/core/curve/g2';
import { encodeG1Uncompressed, encodeG2Uncompressed } from '@cuzk/core/curve/point-encoding';
import { G1_GENERATOR, G2_GENERATOR } from '@cuzk/core/curve/points';
import { readG1Points, readG2Points, readParamsFile } from '@cuzk/core/groth16/params-file';
import { layOutParams, PARAMS_SECTIONS } from '@cuzk/core/groth16/params-layout';
import { encodeCount } from '@cuzk/core/groth16/verifying-key';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type FileReader, openFileReader } from './file-reader.ts';

const KEY = new URL('../../../core/vectors/params/2KiB.vk', import.meta.url);
const folder = mkdtempSync(join(tmpdir(), 'cuzk-reader-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('a parameter file of more than 4 GiB, sparse', () => {
  const path = join(folder, 'large.params');
  const counts = { inputs: 40, h: 2 ** 25 - 1, l: 14_000_000, a: 9_000_000, b: 1_000_000 };
  const { sections, sizeBytes } = layOutParams(counts);
  const g1Times = (k: number) => g1.multiply(G1_GENERATOR, BigInt(k));
  const g2Times = (k: number) => g2.multiply(G2_GENERATOR, BigInt(k));
  /** The first and the last place of each section, and the multiple of the generator that is there. */
  const placed = PARAMS_SECTIONS.flatMap((name, i) => [
    { section: sections[name], index: 0, multiple: 2 * i + 1 },
    { section: sections[name], index: sections[name].count - 1, multiple: 2 * i + 2 },
  ]);
  let reader: FileReader;

  beforeAll(async () => {
    const file = await open(path, 'w');
    await file.truncate(sizeBytes);
    await file.write(readFileSync(KEY), 0, undefined, 0);
    for (const { section, index, multiple } of placed) {
      const { name, offset, count, pointBytes } = section;
      const bytes =
        name === 'bG2'
          ? encodeG2Uncompressed(g2Times(multiple))
          : encodeG1Uncompressed(g1Times(multiple));
      await file.write(encodeCount(count), 0, 4, offset - 4);
      await file.write(bytes, 0, pointBytes, offset + index * pointBytes);
    }
    await file.close();
    reader = await openFileReader(path);
  });
  afterAll(() => reader.close());

  it('has its sections where they lie, and their points', async () => {
    expect(sizeBytes).toBeGreaterThan(5 * 2 ** 30);
    expect(sections.a.offset).toBeGreaterThan(2 ** 32);
    const file = await readParamsFile(reader);
    expect(file.sections).toEqual(sections);
    for (const { section, index, multiple } of placed) {
      const what = `${section.name} ${index}`;
      if (section.name === 'bG2') {
        expect(await readG2Points(reader, section, index, 1), what).toEqual([g2Times(multiple)]);
      } else {
        expect(await readG1Points(reader, section, index, 1), what).toEqual([g1Times(multiple)]);
      }
    }
  });

  it('is read in one piece across the boundary of 32 bits', async () => {
    const { a } = sections;
    const target = new Uint8Array(2 ** 21).fill(7);
    const from = a.offset - 2 ** 20;
    expect(await reader.readInto(target, from)).toBe(target.length);
    expect(target.subarray(2 ** 20, 2 ** 20 + 96)).toEqual(encodeG1Uncompressed(g1Times(5)));
    expect(target.subarray(0, 2 ** 20 - 200).every((byte) => byte === 0)).toBe(true);
    expect(await reader.readInto(target, sizeBytes - 100)).toBe(100);
  });

  it('cut off by a byte names its last section, with 64-bit sizes', async () => {
    truncateSync(path, sizeBytes - 1);
    const shorter = await openFileReader(path);
    await expect(readParamsFile(shorter)).rejects.toMatchObject({
      message: expect.stringContaining('section bG2: truncated'),
      facts: {
        expected: `${sizeBytes} bytes at least`,
        found: `a file of ${sizeBytes - 1} bytes`,
      },
    });
    await shorter.close();
  });
});
