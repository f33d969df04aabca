import { sha256 } from '@noble/hashes/sha2.js';
import { describe, expect, it } from 'vitest';
import { toHex } from '../bytes.ts';
import {
  encodeG1Uncompressed,
  encodeG2Uncompressed,
  G1_UNCOMPRESSED_BYTES,
} from '../curve/point-encoding.ts';
import { memoryReader } from './memory-reader.ts';
import { assertParamsCounts, readG1Points, readG2Points, readParamsFile } from './params-file.ts';
import {
  layOutParams,
  PARAMS_SECTIONS,
  type ParamsCounts,
  type ParamsSectionName,
  paramsCountsOf,
} from './params-layout.ts';
import { countingReader } from './testing/counting-reader.ts';
import { goldenBytes, goldenJson, goldenText } from './testing/golden.ts';
import { shapeOfRows } from './testing/parse-rows.ts';
import { decodeVerifyingKey, encodeCount, encodeVerifyingKey } from './verifying-key.ts';

const golden = goldenBytes('small/poseidon2.params');
const COUNTS: ParamsCounts = { inputs: 2, h: 511, l: 313, a: 236, b: 235 };
const PLACES = layOutParams(COUNTS).sections;

describe('layout', () => {
  interface GoldenParams {
    params_bytes: number;
    sections: { name: string; points: number; data_offset: number; ic_count: number }[];
  }
  it.each(['2KiB', '8MiB'])('gives the sections of the golden %s file', (size) => {
    const file = goldenJson<GoldenParams>(`params/${size}-params.json`);
    const [vk, h, l, a, b] = file.sections;
    const layout = layOutParams({
      inputs: vk.ic_count,
      h: h.points,
      l: l.points,
      a: a.points,
      b: b.points,
    });
    expect(layout.sizeBytes).toBe(file.params_bytes);
    const offsets = PARAMS_SECTIONS.map((name) => layout.sections[name].offset);
    expect(offsets).toEqual(file.sections.slice(1).map(({ data_offset }) => data_offset));
  });

  it('gives the sizes of spec §4.7 for 32 GiB, beyond 32 bits', () => {
    const counts = { inputs: 328, h: 2 ** 27 - 1, l: 130_169_893, a: 129_753_620, b: 33_112_282 };
    expect(layOutParams(counts).sizeBytes).toBe(47_373_928_632);
  });

  it('counts of a circuit are those of its file', () => {
    const rows = goldenText('small/poseidon2-rows.txt.gz');
    expect(paramsCountsOf(shapeOfRows(rows, 'poseidon2', 2, 313))).toEqual(COUNTS);
  });
});

describe('reading a whole file', () => {
  it('finds the key and the sections without reading the sections', async () => {
    const reader = countingReader(golden);
    const file = await readParamsFile(reader);
    expect(file.sections).toEqual(PLACES);
    expect(file.vk).toEqual(decodeVerifyingKey(goldenBytes('small/poseidon2.vk')));
    expect(reader.bytesRead).toBe(1060 + 5 * 4);
    expect(() => assertParamsCounts(file, COUNTS)).not.toThrow();
  });

  it('round-trips all points; written section by section they give the same file', async () => {
    const reader = memoryReader(golden);
    const { vk, sections } = await readParamsFile(reader);
    const hash = sha256.create().update(encodeVerifyingKey(vk));
    for (const name of PARAMS_SECTIONS) {
      const section = sections[name];
      hash.update(encodeCount(section.count));
      if (name === 'bG2') {
        for (const point of await readG2Points(reader, section, 0, section.count))
          hash.update(encodeG2Uncompressed(point));
      } else {
        for (const point of await readG1Points(reader, section, 0, section.count))
          hash.update(encodeG1Uncompressed(point));
      }
    }
    expect(toHex(hash.digest())).toBe(
      goldenJson<{ params_sha256: string }>('small/poseidon2.json').params_sha256,
    );
  });
});

describe('a damaged file', () => {
  const refusal = (bytes: Uint8Array): Promise<unknown> =>
    readParamsFile(memoryReader(bytes)).then(
      () => 'accepted',
      (error: Error) => error.message,
    );
  const countOffset = (name: ParamsSectionName): number => PLACES[name].offset - 4;
  const withCount = (name: ParamsSectionName, count: number): Uint8Array => {
    const bytes = Uint8Array.from(golden);
    bytes.set(encodeCount(count), countOffset(name));
    return bytes;
  };

  it.each(PARAMS_SECTIONS)('truncated in %s names that section', async (name) => {
    const cut = golden.subarray(0, PLACES[name].offset + 100);
    expect(await refusal(cut)).toContain(`section ${name}: truncated`);
    const cutInCount = golden.subarray(0, countOffset(name) + 3);
    expect(await refusal(cutInCount)).toContain(`section ${name}: truncated`);
  });

  it('truncated in the key, or with a bad key, says so', async () => {
    expect(await refusal(golden.subarray(0, 500))).toContain('section vk: truncated');
    expect(await refusal(golden.subarray(0, 900))).toContain('section vk: truncated');
    const bytes = Uint8Array.from(golden);
    bytes[95] ^= 1;
    expect(await refusal(bytes)).toContain('verifying key: alphaG1: not on curve');
    bytes.set(golden.subarray(0, 96));
    bytes.set(encodeG1Uncompressed(null), 868);
    expect(await refusal(bytes)).toContain('verifying key: ic[0]: point at infinity');
  });

  it('of 44 GiB that announces 400 million ic points ends at the first that is none', async () => {
    const head = Uint8Array.from(golden);
    head.set(encodeCount(400_000_000), 864);
    const { read } = memoryReader(head);
    let bytesRead = 0;
    const sparse = {
      sizeBytes: 44 * 2 ** 30,
      read: async (offset: number, length: number) => {
        bytesRead += length;
        const bytes = new Uint8Array(length);
        bytes.set(await read(offset, length));
        return bytes;
      },
    };
    await expect(readParamsFile(sparse)).rejects.toThrow('verifying key: ic[2]: not on curve');
    expect(bytesRead).toBeLessThan(2 ** 17);
  });

  it('with bytes after the end is refused', async () => {
    const longer = new Uint8Array(golden.length + 1);
    longer.set(golden);
    expect(await refusal(longer)).toContain('bytes after the end');
  });

  it('with an overlarge count names the section', async () => {
    for (const name of PARAMS_SECTIONS) {
      expect(await refusal(withCount(name, 0xffffffff))).toContain(`section ${name}: truncated`);
    }
  });

  it('with counts that contradict each other is refused even when the sizes add up', async () => {
    const resized = (counts: ParamsCounts, bG2 = counts.b): Uint8Array => {
      const { sections, sizeBytes } = layOutParams(counts);
      const bytes = new Uint8Array(sizeBytes + (bG2 - counts.b) * 192);
      bytes.set(golden.subarray(0, 1060));
      for (const name of PARAMS_SECTIONS) {
        const count = name === 'bG2' ? bG2 : sections[name].count;
        bytes.set(encodeCount(count), sections[name].offset - 4);
      }
      return bytes;
    };
    expect(await refusal(resized(COUNTS))).toBe('accepted');
    expect(await refusal(resized({ ...COUNTS, h: 510 }))).toContain('section h: wrong count');
    expect(await refusal(resized({ ...COUNTS, a: 1 }))).toContain('section a: wrong count');
    expect(await refusal(resized({ ...COUNTS, a: 316 }))).toContain('section a: wrong count');
    expect(await refusal(resized({ ...COUNTS, b: 316 }))).toContain('section bG1: wrong count');
    expect(await refusal(resized(COUNTS, 234))).toContain('section bG2: wrong count');
  });

  it('of another circuit is told by its counts', async () => {
    const file = await readParamsFile(memoryReader(golden));
    for (const key of ['inputs', 'h', 'l', 'a', 'b'] as const) {
      const section = { inputs: 'vk', h: 'h', l: 'l', a: 'a', b: 'bG1' }[key];
      expect(() => assertParamsCounts(file, { ...COUNTS, [key]: COUNTS[key] + 1 })).toThrow(
        `section ${section}: not of this circuit`,
      );
    }
  });

  it('with a bad point or infinity in a vector names section and index', async () => {
    const bytes = Uint8Array.from(golden);
    bytes[PLACES.l.offset + 7 * G1_UNCOMPRESSED_BYTES + 95] ^= 1;
    bytes.set(encodeG1Uncompressed(null), PLACES.a.offset);
    bytes.set(encodeG2Uncompressed(null), PLACES.bG2.offset + 192);
    const reader = memoryReader(bytes);
    const { sections } = await readParamsFile(reader);
    await expect(readG1Points(reader, sections.l, 5, 5)).rejects.toThrow(
      'section l, point 7: not on curve',
    );
    await expect(readG1Points(reader, sections.a, 0, 1)).rejects.toThrow(
      'section a, point 0: point at infinity',
    );
    await expect(readG2Points(reader, sections.bG2, 0, 2)).rejects.toThrow(
      'section bG2, point 1: point at infinity',
    );
    await expect(readG1Points(reader, sections.h, 500, 12)).rejects.toThrow(RangeError);
    expect((await readG1Points(reader, sections.h, 510, 1)).length).toBe(1);
  });

  it('that shrinks while it is read is refused', async () => {
    const reader = { ...memoryReader(golden), read: () => Promise.resolve(new Uint8Array(3)) };
    await expect(readParamsFile(reader)).rejects.toThrow('section vk: truncated');
  });
});
