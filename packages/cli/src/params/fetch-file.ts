import { createHash, type Hash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { type FileHandle, mkdir, open, rename, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { CuzkError } from '@cuzk/core/errors';
import { asDiskFull, requireDiskRoom } from '@cuzk/service-kit/circuits/disk-room';
import { leaveMark, markedBy } from '../fleet/process-mark.ts';

export interface FetchedFile {
  readonly path: string;
  /** First 16 bytes of its BLAKE2b-512, lowercase hex, as Filecoin publishes it (spec §4.6). */
  readonly digest: string;
  /** Where it may be had; tried in order. */
  readonly urls: readonly string[];
}

export interface FetchOptions {
  readonly signal: AbortSignal;
  /** Bytes that are there, of all (0 where the server does not say). */
  onBytes(done: number, total: number): void;
  onLine(line: string): void;
}

/** Ends one attempt; another mirror may do better. */
class MirrorFailure extends Error {
  override readonly name = 'MirrorFailure';
}

/**
 * Downloads a file to `<path>.partial`, goes on where an earlier download ended, compares the digest, renames. What is
 * under `path` is therefore always whole. Errors: DISK_FULL, before a byte is written where the server
 * says how many there are; PARAMS_DIGEST_MISMATCH where a mirror's file is another one; PARAMS_MISSING where no mirror
 * gave it; SETUP_FAILED while another process fetches it; the signal's reason. The partial file stays for the next
 * time, except after a wrong digest.
 */
export async function fetchFile(file: FetchedFile, options: FetchOptions): Promise<void> {
  await mkdir(dirname(file.path), { recursive: true });
  const partial = `${file.path}.partial`;
  const mark = `${partial}.pid`;
  const owner = markedBy(mark);
  if (owner !== null) {
    throw new CuzkError('SETUP_FAILED', 'this file is being fetched already', {
      expected: 'one process that writes it',
      found: `process ${owner} writes ${partial}`,
      action: 'wait for it, or stop it',
    });
  }
  const removeMark = leaveMark(mark);
  try {
    await fetchMarked(file, partial, options);
  } finally {
    removeMark();
  }
}

async function fetchMarked(
  file: FetchedFile,
  partial: string,
  options: FetchOptions,
): Promise<void> {
  const reasons: string[] = [];
  let mismatch: CuzkError | undefined;
  for (const url of file.urls) {
    try {
      const digest = await downloadAfresh(url, partial, file.digest, options);
      if (digest === file.digest) {
        await rename(partial, file.path);
        return;
      }
      mismatch = new CuzkError('PARAMS_DIGEST_MISMATCH', `${url} is not the published file`, {
        expected: file.digest,
        found: digest,
        action: 'name another mirror in PARAMETER_MIRRORS',
      });
      options.onLine(mismatch.message);
    } catch (error) {
      options.signal.throwIfAborted();
      if (!(error instanceof MirrorFailure)) throw asDiskFull(error, partial);
      reasons.push(`${url}: ${error.message}`);
      options.onLine(`${url}: ${error.message}`);
    }
  }
  if (mismatch !== undefined) throw mismatch;
  throw new CuzkError('PARAMS_MISSING', 'no mirror gave the file', {
    expected: file.path,
    found: reasons.join('; ') || 'no mirror is configured',
    action: 'set PARAMETER_MIRRORS; what was downloaded is kept, and the next try goes on there',
  });
}

/**
 * The digest of what one address gives. A wrong one may be the fault of an earlier part, so then all is fetched again.
 */
async function downloadAfresh(
  url: string,
  partial: string,
  wanted: string,
  options: FetchOptions,
): Promise<string> {
  const { digest, resumed } = await download(url, partial, options);
  if (digest === wanted) return digest;
  await rm(partial, { force: true });
  if (!resumed) return digest;
  options.onLine('what was there is not of this file: fetching it from the start');
  const again = await download(url, partial, options);
  if (again.digest !== wanted) await rm(partial, { force: true });
  return again.digest;
}

/** Completes the partial file from one address. `resumed`: some of it was there before. */
async function download(
  url: string,
  partial: string,
  options: FetchOptions,
): Promise<{ readonly digest: string; readonly resumed: boolean }> {
  const file = await open(partial, 'a+');
  try {
    const existing = createHash('blake2b512');
    const done = await hashExisting(partial, existing);
    const stream = await openStream(url, done, options.signal);
    if (stream === null) return { digest: digestOf(existing), resumed: true };
    const { response, from } = stream;
    if (from < done) await file.truncate(from);
    const hash = from === 0 ? createHash('blake2b512') : existing;
    const left = Number(response.headers.get('content-length') ?? 0);
    requireDiskRoom(partial, left);
    await append(response, file, hash, { done: from, total: left > 0 ? from + left : 0 }, options);
    await file.sync();
    return { digest: digestOf(hash), resumed: from > 0 };
  } finally {
    await file.close();
  }
}

/**
 * The bytes from `done` on, or from 0 where the server does not do that; null where nothing lies behind `done`. Throws
 * MirrorFailure.
 */
async function openStream(
  url: string,
  done: number,
  signal: AbortSignal,
): Promise<{ readonly response: Response; readonly from: number } | null> {
  const response = await request(url, done, signal);
  if (response.status === 206 && startsAt(response, done)) return { response, from: done };
  if (response.status === 200) return { response, from: 0 };
  await response.body?.cancel();
  if (response.status === 416 && done > 0) return null;
  if (response.status !== 206) throw new MirrorFailure(`HTTP status ${response.status}`);
  const whole = await request(url, 0, signal);
  if (whole.status === 200) return { response: whole, from: 0 };
  await whole.body?.cancel();
  throw new MirrorFailure(`HTTP status ${whole.status}`);
}

async function hashExisting(partial: string, hash: Hash): Promise<number> {
  for await (const chunk of createReadStream(partial, { highWaterMark: 1 << 22 })) {
    hash.update(chunk as Uint8Array);
  }
  return (await stat(partial)).size;
}

async function request(url: string, from: number, signal: AbortSignal): Promise<Response> {
  const headers: Record<string, string> = { 'accept-encoding': 'identity' };
  if (from > 0) headers.range = `bytes=${from}-`;
  try {
    return await fetch(url, { headers, signal });
  } catch (error) {
    throw new MirrorFailure(reasonOf(error));
  }
}

const startsAt = (response: Response, offset: number): boolean =>
  response.headers.get('content-range')?.startsWith(`bytes ${offset}-`) === true;

async function append(
  response: Response,
  file: FileHandle,
  hash: Hash,
  progress: { done: number; readonly total: number },
  options: FetchOptions,
): Promise<void> {
  if (response.body === null) throw new MirrorFailure('an answer without a body');
  let { done } = progress;
  const chunks = response.body[Symbol.asyncIterator]();
  for (;;) {
    const next = await chunks.next().catch((error: unknown) => {
      throw new MirrorFailure(`${reasonOf(error)} after ${done} bytes`);
    });
    if (next.done === true) break;
    const bytes = next.value as Uint8Array;
    hash.update(bytes);
    await file.writeFile(bytes);
    done += bytes.length;
    options.onBytes(done, progress.total);
  }
  if (done < progress.total) throw new MirrorFailure(`ended after ${done} of ${progress.total}`);
}

const digestOf = (hash: Hash): string => hash.digest('hex').slice(0, 32);

/** fetch wraps what the system said. */
function reasonOf(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  return cause instanceof Error ? cause.message : String(cause);
}
