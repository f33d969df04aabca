import { type FileHandle, open } from 'node:fs/promises';
import type { PositionalReader } from '@cuzk/core/groth16/params-file';

/** A file opened for positional reads of any size; nothing is held but the handle. */
export interface FileReader extends PositionalReader {
  readonly path: string;
  /** Reads into `target`, which may be mapped device memory; returns the bytes read. */
  readInto(target: Uint8Array, offset: number): Promise<number>;
  close(): Promise<void>;
}

/** Opens `path`. Rejects with the system's error where that fails. */
export async function openFileReader(path: string): Promise<FileReader> {
  const handle = await open(path, 'r');
  const { size } = await handle.stat();
  return {
    path,
    sizeBytes: size,
    readInto: (target, offset) => readFully(handle, target, offset),
    async read(offset, length) {
      const bytes = new Uint8Array(length);
      return bytes.subarray(0, await readFully(handle, bytes, offset));
    },
    close: () => handle.close(),
  };
}

/** One read call may give less than asked for (at most 2 GiB on Linux), so it is repeated. */
async function readFully(handle: FileHandle, target: Uint8Array, offset: number): Promise<number> {
  let done = 0;
  while (done < target.length) {
    const { bytesRead } = await handle.read(target, done, target.length - done, offset + done);
    if (bytesRead === 0) break;
    done += bytesRead;
  }
  return done;
}
