import { memoryReader } from '../memory-reader.ts';
import type { PositionalReader } from '../params-file.ts';

/** Bytes as a file, which counts what was asked for. */
export function countingReader(bytes: Uint8Array): PositionalReader & { bytesRead: number } {
  const { sizeBytes, read } = memoryReader(bytes);
  const reader = {
    sizeBytes,
    bytesRead: 0,
    read: (offset: number, length: number) => {
      reader.bytesRead += length;
      return read(offset, length);
    },
  };
  return reader;
}
