import type { PositionalReader } from './params-file.ts';

/** Bytes as a file; what is read are views of them. */
export const memoryReader = (bytes: Uint8Array): PositionalReader => ({
  sizeBytes: bytes.length,
  read: async (offset, length) => bytes.subarray(offset, offset + length),
});
