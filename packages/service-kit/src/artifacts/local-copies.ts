import { randomUUID } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { mkdir, readdir, rename, rm, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { CuzkError } from '@cuzk/core/errors';
import { isDiskFull } from '../circuits/disk-room.ts';
import type { ArtifactRef } from '../record/types.ts';

/** Copies that are kept once they are not new any more. */
const COPIES_MAX = 32;
/** Whoever asked for a copy opens it within this: a host with many cores asks for more than COPIES_MAX at once. */
const NEW_MS = 60_000;

/** Local files with the bytes of remote artifacts, named by their digest; the oldest ones go. */
export class LocalCopies {
  readonly #folder: string;

  private constructor(folder: string) {
    this.#folder = folder;
  }

  static async open(folder: string): Promise<LocalCopies> {
    await mkdir(folder, { recursive: true });
    return new LocalCopies(folder);
  }

  /**
   * A file with these bytes. `read` gives them and checks their digest. Throws what it throws, and CuzkError
   * CAPACITY_EXHAUSTED.
   */
  async pathOf(artifact: ArtifactRef, read: () => AsyncIterable<Uint8Array>): Promise<string> {
    const path = join(this.#folder, artifact.sha256);
    const known = await stat(path).catch(() => null);
    if (known?.size === artifact.bytes) {
      const now = new Date();
      await utimes(path, now, now);
      return path;
    }
    const temporary = join(this.#folder, `${randomUUID()}.writing`);
    try {
      await pipeline(Readable.from(read(), { objectMode: false }), createWriteStream(temporary));
      await rename(temporary, path);
    } catch (error) {
      throw asCapacity(error, this.#folder);
    } finally {
      await rm(temporary, { force: true });
    }
    await this.#dropOldest();
    return path;
  }

  async #dropOldest(): Promise<void> {
    const names = await readdir(this.#folder);
    if (names.length <= COPIES_MAX) return;
    const aged = await Promise.all(
      names.map(async (name) => {
        const path = join(this.#folder, name);
        return { path, at: (await stat(path).catch(() => null))?.mtimeMs ?? 0 };
      }),
    );
    aged.sort((a, b) => b.at - a.at);
    const newest = aged[0]?.at ?? 0;
    for (const { path, at } of aged.slice(COPIES_MAX)) {
      if (newest - at > NEW_MS) await rm(path, { force: true });
    }
  }
}

/** A full disk is no fault of the work, which waits until there is room. */
function asCapacity(error: unknown, folder: string): unknown {
  if (!isDiskFull(error)) return error;
  const { code } = error as NodeJS.ErrnoException;
  const facts = { expected: `room in ${folder}`, found: `${code}`, action: 'Free space there.' };
  return new CuzkError('CAPACITY_EXHAUSTED', 'The disk of local copies is full.', facts, error);
}
