import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { bytesEqual, toHex } from '@cuzk/core/bytes';
import { CuzkError } from '@cuzk/core/errors';
import { circuitId } from '@cuzk/core/porep/circuit-id';
import { PRODUCTION_PARAMS } from '@cuzk/core/porep/production-params';
import type { SectorShape } from '@cuzk/core/porep/sector';
import type { ParameterKind } from '../record/types.ts';
import { openFileReader } from './file-reader.ts';
import {
  developmentParams,
  type ParamsFolders,
  type ParamsLocation,
  productionParams,
} from './params-folder.ts';

export interface VerifyingKeyFile {
  readonly bytes: Uint8Array;
  readonly path: string;
  readonly kind: ParameterKind;
}

/**
 * The verifying key of a circuit on this machine: the published one, or the development one where that is
 * allowed. `kind` asks for one of the two. Throws PARAMS_MISSING naming the file, PARAMS_DIGEST_MISMATCH when
 * the production file is not the published one, PARAMS_INSECURE when development keys are not allowed.
 */
export async function readVerifyingKey(
  folders: ParamsFolders,
  shape: SectorShape,
  kind: ParameterKind | null = null,
): Promise<VerifyingKeyFile> {
  const production = productionParams(folders, shape).vkPath;
  const development = developmentParams(folders, shape).vkPath;
  if (kind !== 'insecure-development') {
    const bytes = await readIfPresent(production);
    if (bytes) {
      requirePublished(bytes, shape, production);
      return { bytes, path: production, kind: 'production' };
    }
    if (kind === 'production') throw missing(shape, production);
  }
  if (!folders.allowDevelopmentParams) {
    if (kind === null) throw missing(shape, production);
    throw new CuzkError('PARAMS_INSECURE', 'The proof was made with development parameters.', {
      expected: 'production parameters',
      found: 'insecure-development',
      action: 'Set ALLOW_DEVELOPMENT_PARAMS=1 on test systems only.',
    });
  }
  const bytes = await readIfPresent(development);
  if (!bytes) throw missing(shape, kind === null ? `${production} or ${development}` : development);
  return { bytes, path: development, kind: 'insecure-development' };
}

/**
 * Throws CuzkError PARAMS_MALFORMED where the parameters are not of the setup of the key beside them, which is the head
 * of their file; else as readVerifyingKey.
 */
export async function requireOwnKey(
  folders: ParamsFolders,
  shape: SectorShape,
  { kind, paramsPath }: ParamsLocation,
): Promise<void> {
  const { bytes, path } = await readVerifyingKey(folders, shape, kind);
  const reader = await openFileReader(paramsPath);
  try {
    const head = await reader.read(0, bytes.length);
    if (bytesEqual(head, bytes)) return;
    throw new CuzkError('PARAMS_MALFORMED', 'key and parameters are of different setups', {
      expected: `${path} to be the head of ${paramsPath}`,
      found: `${toHex(bytes.subarray(0, 16))}… beside ${toHex(head.subarray(0, 16))}…`,
      action: 'fetch or make both again',
    });
  } finally {
    await reader.close();
  }
}

const missing = (shape: SectorShape, expected: string): CuzkError =>
  new CuzkError('PARAMS_MISSING', `No verifying key for ${shape.name} sectors.`, {
    expected,
    found: 'no such file',
    action: 'Put the .vk file there.',
  });

function requirePublished(bytes: Uint8Array, shape: SectorShape, path: string): void {
  const expected = PRODUCTION_PARAMS[circuitId(shape)]?.vk.digest ?? 'a published key';
  const found = createHash('blake2b512').update(bytes).digest('hex').slice(0, 32);
  if (found === expected) return;
  throw new CuzkError('PARAMS_DIGEST_MISMATCH', `${path} is not the published key.`, {
    expected,
    found,
    action: 'Fetch the file again.',
  });
}

const readIfPresent = (path: string): Promise<Uint8Array | null> =>
  readFile(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw error;
  });
