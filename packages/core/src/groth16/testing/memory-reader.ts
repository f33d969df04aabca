import type { PositionalReader } from '../params-file.ts';

/** A file held in memory, with a record of what was read. */
export function memoryReader(bytes: Uint8Array): PositionalReader & { readonly reads: number[] } {
  const reads: number[] = [];
  return {
    sizeBytes: bytes.length,
    reads,
    read(offset, length) {
      reads.push(length);
      return Promise.resolve(bytes.slice(offset, offset + length));
    },
  };
}
