import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { CuzkError } from '@cuzk/core/errors';
import { circuitId } from '@cuzk/core/porep/circuit-id';
import { PRODUCTION_PARAMS } from '@cuzk/core/porep/production-params';
import type { SectorShape } from '@cuzk/core/porep/sector';
import type { ParamsLocation } from '@cuzk/service-kit/circuits/params-folder';

/** First 16 bytes of the BLAKE2b-512 of both files, lowercase hex. */
export interface PublishedDigests {
  readonly params: string;
  readonly vk: string;
  readonly source: string;
}

const DIGEST = /^[0-9a-f]{32}$/;

/**
 * The digests that both files of a sector size must have: those this program was built with, or those of a file in the
 * form of Filecoin's parameters.json. Throws CuzkError PARAMS_MISSING where there are none, PARAMS_MALFORMED.
 */
export async function publishedDigests(
  sector: SectorShape,
  { paramsPath, vkPath }: ParamsLocation,
  parametersJson: string | undefined,
): Promise<PublishedDigests> {
  if (parametersJson === undefined) {
    const published = PRODUCTION_PARAMS[circuitId(sector)];
    if (published === undefined) throw noDigests(`Filecoin publishes none for ${sector.name}`);
    const { params, vk } = published;
    return { params: params.digest, vk: vk.digest, source: 'built in' };
  }
  const listed: unknown = JSON.parse(await readFile(parametersJson, 'utf8'));
  const digestOf = (path: string): string => {
    const entry = (listed as Record<string, { digest?: unknown } | undefined>)[basename(path)];
    if (typeof entry?.digest === 'string' && DIGEST.test(entry.digest)) return entry.digest;
    throw noDigests(`${parametersJson} has no digest of ${basename(path)}`);
  };
  return { params: digestOf(paramsPath), vk: digestOf(vkPath), source: parametersJson };
}

const noDigests = (found: string): CuzkError =>
  new CuzkError('PARAMS_MISSING', 'no published digests of these parameters', {
    expected: 'digests of the .params and the .vk file',
    found,
    action: 'name a parameters.json that lists both files',
  });

/** Reads a whole file. Throws CuzkError PARAMS_MISSING, PARAMS_DIGEST_MISMATCH. */
export async function requireDigest(
  path: string,
  expected: string,
  onBytes: (done: number, total: number) => void,
): Promise<void> {
  const { size } = await stat(path).catch((cause: unknown) => {
    throw new CuzkError('PARAMS_MISSING', 'no such file', { expected: path }, cause);
  });
  const hash = createHash('blake2b512');
  let done = 0;
  for await (const chunk of createReadStream(path, { highWaterMark: 1 << 22 })) {
    hash.update(chunk as Uint8Array);
    done += (chunk as Uint8Array).length;
    onBytes(done, size);
  }
  const found = hash.digest('hex').slice(0, 32);
  if (found === expected) return;
  throw new CuzkError('PARAMS_DIGEST_MISMATCH', `${path} is not the published file`, {
    expected,
    found,
    action: 'fetch the file again',
  });
}
