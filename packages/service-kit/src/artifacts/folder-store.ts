import { createHash, randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import {
  type FileHandle,
  mkdir,
  open,
  readdir,
  readFile,
  rename,
  rm,
  rmdir,
  stat,
} from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { CuzkError } from '@cuzk/core/errors';
import { isDiskFull } from '../circuits/disk-room.ts';
import type { ArtifactRef } from '../record/types.ts';
import { checkDigest, missing } from './digest.ts';
import type { ArtifactStat, ArtifactStore } from './types.ts';

/** Holds half-written files; swept by age, never listed. */
const TEMPORARY = '.writing';
const SAFE_REF = /^[A-Za-z0-9_][A-Za-z0-9._-]*(?:\/[A-Za-z0-9_][A-Za-z0-9._-]*)*$/;

/** An artifact store in a folder, local or shared by the fleet. */
export async function openFolderStore(folder: string): Promise<ArtifactStore> {
  await mkdir(join(folder, TEMPORARY), { recursive: true });
  return {
    put: (ref, source) => put(folder, ref, source),
    get: (artifact) => get(folder, artifact),
    localPath: (artifact) => localPath(folder, artifact),
    locate: (artifact) => locate(folder, artifact),
    stat: (ref) => statOf(folder, ref),
    delete: (ref) => remove(folder, ref),
    list: (prefix) => list(folder, prefix),
  };
}

/** Throws RangeError on a name that could lead elsewhere. */
export function assertSafeRef(ref: string): void {
  if (SAFE_REF.test(ref)) return;
  throw new RangeError('ref: expected a relative name of letters, digits, ".", "_", "-" and "/"');
}

function pathOf(folder: string, ref: string): string {
  assertSafeRef(ref);
  return join(folder, ...ref.split('/'));
}

async function put(
  folder: string,
  ref: string,
  source: Uint8Array | Readable,
): Promise<ArtifactRef> {
  const target = pathOf(folder, ref);
  const temporary = join(folder, TEMPORARY, randomUUID());
  const stream = source instanceof Uint8Array ? Readable.from([source]) : source;
  const file = await open(temporary, 'wx').catch((error: unknown) => {
    throw asCapacity(error);
  });
  try {
    const written = await writeAll(file, stream);
    await file.sync();
    await file.close();
    await moveInto(temporary, target);
    await syncFolder(dirname(target));
    return { ref, ...written };
  } catch (error) {
    await file.close().catch(() => {});
    await rm(temporary, { force: true });
    throw asCapacity(error);
  }
}

/** A folder that is empty for a moment may be removed by a listing, between its making and the move into it. */
const MOVES_MAX = 10;

async function moveInto(temporary: string, target: string): Promise<void> {
  for (let move = 1; ; move++) {
    try {
      await mkdir(dirname(target), { recursive: true });
      return await rename(temporary, target);
    } catch (error) {
      if (!isAbsent(error) || move === MOVES_MAX) throw error;
    }
  }
}

/**
 * Else a loss of power could take the name away again after the artifact was accepted. File systems with a journal write
 * folders that were made before with it.
 */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder);
  await handle.sync().finally(() => handle.close());
}

async function writeAll(
  file: FileHandle,
  stream: Readable,
): Promise<{ bytes: number; sha256: string }> {
  const hash = createHash('sha256');
  let bytes = 0;
  for await (const chunk of stream) {
    const part = typeof chunk === 'string' ? Buffer.from(chunk) : (chunk as Uint8Array);
    hash.update(part);
    bytes += part.length;
    await file.writeFile(part);
  }
  return { bytes, sha256: hash.digest('hex') };
}

function asCapacity(error: unknown): unknown {
  if (!isDiskFull(error)) return error;
  const facts = { action: 'Free space in the artifact store, or give it more.' };
  return new CuzkError('CAPACITY_EXHAUSTED', 'The artifact store is full.', facts, error);
}

async function get(folder: string, artifact: ArtifactRef): Promise<Uint8Array> {
  const content = await readFile(pathOf(folder, artifact.ref)).catch((error: unknown) => {
    throw isAbsent(error) ? missing(artifact) : error;
  });
  checkDigest(artifact, content.length, createHash('sha256').update(content).digest('hex'));
  return content;
}

async function localPath(folder: string, artifact: ArtifactRef): Promise<string> {
  const path = pathOf(folder, artifact.ref);
  const hash = createHash('sha256');
  let bytes = 0;
  try {
    for await (const chunk of createReadStream(path, { highWaterMark: 1 << 20 })) {
      hash.update(chunk as Buffer);
      bytes += (chunk as Buffer).length;
    }
  } catch (error) {
    throw isAbsent(error) ? missing(artifact) : error;
  }
  checkDigest(artifact, bytes, hash.digest('hex'));
  return path;
}

async function locate(folder: string, artifact: ArtifactRef): Promise<string> {
  if ((await statOf(folder, artifact.ref)) === null) throw missing(artifact);
  return pathOf(folder, artifact.ref);
}

async function statOf(folder: string, ref: string): Promise<ArtifactStat | null> {
  try {
    const { size, mtimeMs } = await stat(pathOf(folder, ref));
    return { ref, bytes: size, modifiedAt: mtimeMs };
  } catch (error) {
    if (isAbsent(error)) return null;
    throw error;
  }
}

async function remove(folder: string, ref: string): Promise<boolean> {
  try {
    await rm(pathOf(folder, ref));
    return true;
  } catch (error) {
    if (isAbsent(error)) return false;
    throw error;
  }
}

/** Walks only folders that the prefix can reach; folders left empty by deletes are removed on the way. */
async function* list(folder: string, prefix: string, at = ''): AsyncIterable<ArtifactStat> {
  const entries = await readdir(join(folder, at), { withFileTypes: true }).catch(() => []);
  // Only when it is still empty: something may have been moved into it since it was read.
  if (entries.length === 0 && at !== '') await rmdir(join(folder, at)).catch(() => {});
  for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const ref = at === '' ? entry.name : `${at}/${entry.name}`;
    // Not ours: TEMPORARY, and what file systems leave (.nfs… for a file that is deleted while it is read).
    if (!SAFE_REF.test(ref)) continue;
    if (entry.isDirectory()) {
      const reachable = ref.startsWith(prefix) || prefix.startsWith(`${ref}/`);
      if (reachable) yield* list(folder, prefix, ref);
    } else if (ref.startsWith(prefix)) {
      const found = await statOf(folder, ref);
      if (found) yield found;
    }
  }
}

const isAbsent = (error: unknown): boolean => {
  const code = (error as NodeJS.ErrnoException | null)?.code;
  return code === 'ENOENT' || code === 'ENOTDIR';
};

/** Deletes half-written files that are older than `olderThanMs` at `nowMs`, left behind by processes that died. */
export async function sweepHalfWritten(
  folder: string,
  olderThanMs: number,
  nowMs: number,
): Promise<number> {
  let swept = 0;
  for (const name of await readdir(join(folder, TEMPORARY)).catch(() => [])) {
    const path = join(folder, TEMPORARY, name);
    const found = await stat(path).catch(() => null);
    if (!found || nowMs - found.mtimeMs < olderThanMs) continue;
    await rm(path, { force: true });
    swept++;
  }
  return swept;
}
