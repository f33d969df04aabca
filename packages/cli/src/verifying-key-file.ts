import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { CuzkError } from '@cuzk/core/errors';
import type { VerifyingKey } from '@cuzk/core/groth16/types';
import { decodeVerifyingKey } from '@cuzk/core/groth16/verifying-key';
import { circuitId } from '@cuzk/core/porep/circuit-id';
import { PRODUCTION_PARAMS } from '@cuzk/core/porep/production-params';
import type { SectorShape } from '@cuzk/core/porep/sector';
import {
  developmentParams,
  type ParametersKind,
  productionParams,
} from '@cuzk/service-kit/circuits/params-folder';
import { type CliConfig, parameterFolders } from './config.ts';
import { readInput } from './read-input.ts';

export interface LoadedVerifyingKey {
  readonly key: VerifyingKey;
  readonly path: string;
  /** `unknown`: a file that the user named and that is not the published one. */
  readonly parameters: ParametersKind | 'unknown';
}

/**
 * The verifying key of a circuit: the file `path`, or the production key of this machine, or its development
 * key where these are allowed. Errors: PARAMS_MISSING, PARAMS_DIGEST_MISMATCH, PARAMS_MALFORMED.
 */
export async function loadVerifyingKey(
  config: CliConfig,
  shape: SectorShape,
  path: string | undefined,
): Promise<LoadedVerifyingKey> {
  if (path !== undefined) {
    const bytes = await readInput(path);
    const parameters = isPublished(bytes, shape) ? 'production' : 'unknown';
    return { key: decodeVerifyingKey(bytes), path, parameters };
  }
  const folders = parameterFolders(config);
  const production = productionParams(folders, shape).vkPath;
  const published = await readIfPresent(production);
  if (published !== null) {
    if (!isPublished(published, shape)) throw notPublished(production);
    return { key: decodeVerifyingKey(published), path: production, parameters: 'production' };
  }
  const development = developmentParams(folders, shape).vkPath;
  const made = config.allowDevelopmentParams ? await readIfPresent(development) : null;
  if (made === null) {
    throw new CuzkError('PARAMS_MISSING', `no verifying key for ${shape.name} sectors`, {
      expected: config.allowDevelopmentParams ? `${production} or ${development}` : production,
      found: 'no such file',
      action: 'name a key with --vk, or put the published one there',
    });
  }
  return { key: decodeVerifyingKey(made), path: development, parameters: 'insecure-development' };
}

/** Whether these are the bytes that Filecoin publishes a digest of (spec §4.6). */
function isPublished(bytes: Uint8Array, shape: SectorShape): boolean {
  const digest = createHash('blake2b512').update(bytes).digest('hex').slice(0, 32);
  return PRODUCTION_PARAMS[circuitId(shape)]?.vk.digest === digest;
}

const readIfPresent = (path: string): Promise<Uint8Array | null> =>
  readFile(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw error;
  });

const notPublished = (path: string): CuzkError =>
  new CuzkError('PARAMS_DIGEST_MISMATCH', 'the verifying key is not the published one', {
    expected: 'the digest that Filecoin publishes',
    found: path,
    action: 'fetch the file again',
  });
