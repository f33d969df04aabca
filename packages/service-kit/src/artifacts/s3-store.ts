import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import type { S3Client } from '@aws-sdk/client-s3';
import { CuzkError } from '@cuzk/core/errors';
import type { ArtifactRef } from '../record/types.ts';
import { checkDigest, missing } from './digest.ts';
import { assertSafeRef } from './folder-store.ts';
import { LocalCopies } from './local-copies.ts';
import type { ArtifactStat, ArtifactStore } from './types.ts';

export interface S3StoreOptions {
  readonly bucket: string;
  /** Empty: AWS. */
  readonly endpoint: string;
  readonly region: string;
  /** Put before every name. */
  readonly prefix: string;
  /** For local copies. */
  readonly cacheDir: string;
  /** For tests. */
  readonly silentMs?: number;
}

type Sdk = typeof import('@aws-sdk/client-s3');
type UploadClass = typeof import('@aws-sdk/lib-storage').Upload;

/** Least part of a multipart upload that S3 takes; what a put holds in memory is two of them. */
const PART_BYTES = 8 * 2 ** 20;
const PARTS_AT_ONCE = 2;

/** A server that says nothing for so long is away: answers, and pieces of them, come within seconds. */
const SILENT_MS = 30_000;
const CONNECT_MS = 5_000;

/**
 * An artifact store in a bucket. Throws CONFIG_INVALID without a bucket; its calls CAPACITY_EXHAUSTED when it is full or
 * does not answer.
 */
export async function openS3Store(options: S3StoreOptions): Promise<ArtifactStore> {
  if (options.bucket === '') {
    throw new CuzkError('CONFIG_INVALID', 'ARTIFACT_STORE=s3 needs a bucket.', {
      expected: 'S3_BUCKET',
      found: 'nothing',
    });
  }
  const sdk = await import('@aws-sdk/client-s3');
  const { Upload } = await import('@aws-sdk/lib-storage');
  const { endpoint, region, silentMs = SILENT_MS } = options;
  const client = new sdk.S3Client({
    region,
    // Servers other than AWS rarely have a host name for each bucket, and not all know the newer checksums.
    ...(endpoint === '' ? {} : { endpoint, forcePathStyle: true }),
    requestHandler: { connectionTimeout: CONNECT_MS, socketTimeout: silentMs },
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
  });
  const copies = await LocalCopies.open(options.cacheDir);
  const bucket = new Bucket(sdk, Upload, client, options);
  return {
    put: (ref, source) => bucket.put(ref, source),
    get: async (artifact) => Buffer.concat(await collect(bucket.read(artifact))),
    localPath: (artifact) => copies.pathOf(artifact, () => bucket.read(artifact)),
    locate: (artifact) => copies.pathOf(artifact, () => bucket.read(artifact)),
    stat: (ref) => bucket.stat(ref),
    delete: (ref) => bucket.delete(ref),
    list: (prefix) => bucket.list(prefix),
  };
}

async function collect(chunks: AsyncIterable<Uint8Array>): Promise<Uint8Array[]> {
  const all: Uint8Array[] = [];
  for await (const chunk of chunks) all.push(chunk);
  return all;
}

class Bucket {
  readonly #sdk: Sdk;
  readonly #upload: UploadClass;
  readonly #client: S3Client;
  readonly #options: S3StoreOptions;

  constructor(sdk: Sdk, upload: UploadClass, client: S3Client, options: S3StoreOptions) {
    this.#sdk = sdk;
    this.#upload = upload;
    this.#client = client;
    this.#options = options;
  }

  #place(ref: string): { Bucket: string; Key: string } {
    assertSafeRef(ref);
    return { Bucket: this.#options.bucket, Key: `${this.#options.prefix}${ref}` };
  }

  async put(ref: string, source: Uint8Array | Readable): Promise<ArtifactRef> {
    const place = this.#place(ref);
    const hash = createHash('sha256');
    let bytes = 0;
    let ofSource: { readonly error: unknown } | undefined;
    async function* counted() {
      try {
        for await (const chunk of source instanceof Uint8Array ? [source] : source) {
          const part = typeof chunk === 'string' ? Buffer.from(chunk) : (chunk as Uint8Array);
          hash.update(part);
          bytes += part.length;
          yield part;
        }
      } catch (error) {
        ofSource = { error };
        throw error;
      }
    }
    const upload = new this.#upload({
      client: this.#client,
      params: { ...place, Body: Readable.from(counted(), { objectMode: false }) },
      partSize: PART_BYTES,
      queueSize: PARTS_AT_ONCE,
    });
    // The object appears when the upload is complete, all of it or nothing; a failed one is given up by the client.
    await upload.done().catch((error: unknown) => {
      throw ofSource === undefined ? asCapacity(error) : ofSource.error;
    });
    return { ref, bytes, sha256: hash.digest('hex') };
  }

  async *read(artifact: ArtifactRef): AsyncGenerator<Uint8Array> {
    const command = new this.#sdk.GetObjectCommand(this.#place(artifact.ref));
    const answer = await this.#client.send(command).catch((error: unknown) => {
      throw isAbsent(error) ? missing(artifact) : asCapacity(error);
    });
    const hash = createHash('sha256');
    let bytes = 0;
    for await (const chunk of answered(answer.Body as AsyncIterable<Uint8Array>)) {
      hash.update(chunk);
      bytes += chunk.length;
      yield chunk;
    }
    checkDigest(artifact, bytes, hash.digest('hex'));
  }

  async stat(ref: string): Promise<ArtifactStat | null> {
    try {
      const head = await this.#client.send(new this.#sdk.HeadObjectCommand(this.#place(ref)));
      const modifiedAt = head.LastModified?.getTime() ?? 0;
      return { ref, bytes: head.ContentLength ?? 0, modifiedAt };
    } catch (error) {
      if (isAbsent(error)) return null;
      throw asCapacity(error);
    }
  }

  async delete(ref: string): Promise<boolean> {
    // S3 does not say whether there was anything.
    if ((await this.stat(ref)) === null) return false;
    await this.#client
      .send(new this.#sdk.DeleteObjectCommand(this.#place(ref)))
      .catch((error: unknown) => {
        throw asCapacity(error);
      });
    return true;
  }

  async *list(prefix: string): AsyncGenerator<ArtifactStat> {
    const { bucket, prefix: own } = this.#options;
    let next: string | undefined;
    do {
      const command = new this.#sdk.ListObjectsV2Command({
        ...{ Bucket: bucket, Prefix: `${own}${prefix}` },
        ...(next === undefined ? {} : { ContinuationToken: next }),
      });
      const page = await this.#client.send(command).catch((error: unknown) => {
        throw asCapacity(error);
      });
      for (const { Key = '', Size = 0, LastModified } of page.Contents ?? []) {
        const modifiedAt = LastModified?.getTime() ?? 0;
        yield { ref: Key.slice(own.length), bytes: Size, modifiedAt };
      }
      next = page.IsTruncated ? page.NextContinuationToken : undefined;
    } while (next !== undefined);
  }
}

const nameOf = (error: unknown): string => (error as { name?: string } | null)?.name ?? '';

const isAbsent = (error: unknown): boolean =>
  ['NoSuchKey', 'NotFound', 'NoSuchUpload'].includes(nameOf(error));

const FULL = /StorageFull|QuotaExceeded|InsufficientCapacity|InsufficientStorage|SlowDown/;
const AWAY =
  /^(?:ECONNREFUSED|ECONNRESET|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_AGAIN)$/;

/** A bucket that is full or does not answer is no fault of the work, which waits. Any other error as it is. */
function asCapacity(error: unknown): unknown {
  const { $metadata, code = '' } = error as {
    readonly $metadata?: { readonly httpStatusCode?: number };
    readonly code?: string;
  };
  const status = $metadata?.httpStatusCode ?? 0;
  const name = nameOf(error);
  if (FULL.test(name) || status === 507) {
    const facts = { found: name, action: 'Free space in the bucket, or give it more.' };
    return new CuzkError('CAPACITY_EXHAUSTED', 'The artifact store is full.', facts, error);
  }
  if (status < 500 && name !== 'TimeoutError' && !AWAY.test(code)) return error;
  const facts = { found: code || name, action: 'See whether S3_ENDPOINT is reachable.' };
  return new CuzkError('CAPACITY_EXHAUSTED', 'The artifact store does not answer.', facts, error);
}

async function* answered(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield* chunks;
  } catch (error) {
    throw asCapacity(error);
  }
}
