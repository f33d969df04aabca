import { expect, it } from 'vitest';
import { sectionBytes } from './load-query-points.ts';

const section = { name: 'l', offset: 1000, count: 2 ** 17, pointBytes: 96 } as const;
const MIB = 2 ** 20;
const byteAt = (position: number): number => (position * 31 + (position >>> 8)) & 0xff;

/** A file of `sizeBytes`; a read of a position in `broken` fails, at once. */
function fileOf(sizeBytes: number, broken = -1) {
  const reads: { readonly offset: number; readonly length: number }[] = [];
  let under = 0;
  const readInto = async (target: Uint8Array, offset: number): Promise<number> => {
    reads.push({ offset, length: target.length });
    if (offset <= broken && broken < offset + target.length) throw new Error('bad disk');
    under++;
    await new Promise((resolve) => setTimeout(resolve, 5));
    const length = Math.max(0, Math.min(target.length, sizeBytes - offset));
    for (let i = 0; i < length; i++) target[i] = byteAt(offset + i);
    under--;
    return length;
  };
  return {
    reads,
    reader: { sizeBytes, readInto, read: () => Promise.reject(new Error('not by read')) },
    underWay: () => under,
  };
}

it('reads a large chunk in three parts at once, every byte in its place', async () => {
  const { reader, reads } = fileOf(64 * MIB);
  let told = 0;
  const target = new Uint8Array(16 * MIB);
  await sectionBytes(reader, section, (bytes) => {
    told += bytes;
  })(target, 7);
  expect(reads).toHaveLength(3);
  const start = section.offset + 7 * 96;
  expect(target.findIndex((byte, i) => byte !== byteAt(start + i))).toBe(-1);
  expect(told).toBe(target.length);
});

it('reads a small chunk by one thread', async () => {
  const { reader, reads } = fileOf(64 * MIB);
  await sectionBytes(reader, section, () => {})(new Uint8Array(2 * MIB), 0);
  expect(reads).toEqual([{ offset: 1000, length: 2 * MIB }]);
});

it('says where a file ends too early', async () => {
  const { reader } = fileOf(1000 + 15 * MIB);
  const read = sectionBytes(reader, section, () => {});
  await expect(read(new Uint8Array(16 * MIB), 0)).rejects.toThrow('section l: truncated');
});

it('fails only when no thread reads any more', async () => {
  const { reader, underWay } = fileOf(64 * MIB, 1000 + 8 * MIB);
  const read = sectionBytes(reader, section, () => {});
  await expect(read(new Uint8Array(16 * MIB), 0)).rejects.toThrow('bad disk');
  expect(underWay()).toBe(0);
});
