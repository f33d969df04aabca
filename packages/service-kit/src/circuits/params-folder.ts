import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { CuzkError } from '@cuzk/core/errors';
import { circuitId, parameterFileName } from '@cuzk/core/porep/circuit-id';
import { PRODUCTION_PARAMS } from '@cuzk/core/porep/production-params';
import type { SectorShape } from '@cuzk/core/porep/sector';
import { replaceFile } from './replace-file.ts';

/** Whose trusted setup a parameter file comes from. Development parameters let anyone forge proofs. */
export type ParametersKind = 'production' | 'insecure-development';

export interface ParamsLocation {
  readonly kind: ParametersKind;
  readonly paramsPath: string;
  readonly vkPath: string;
}

export interface ParamsFolders {
  /** FIL_PROOFS_PARAMETER_CACHE: production files under their Filecoin names. */
  readonly productionDir: string;
  /** Where development parameters are made and kept. */
  readonly developmentDir: string;
  readonly allowDevelopmentParams: boolean;
}

const DEVELOPMENT_PREFIX = 'insecure-development-';

/** Path of the development parameters of a circuit; "insecure-development" is part of the name. */
export function developmentParams(
  folders: Pick<ParamsFolders, 'developmentDir'>,
  shape: SectorShape,
): ParamsLocation {
  const path = (extension: 'params' | 'vk') =>
    join(folders.developmentDir, `${DEVELOPMENT_PREFIX}${parameterFileName(shape, extension)}`);
  return { kind: 'insecure-development', paramsPath: path('params'), vkPath: path('vk') };
}

/** Path of the production parameters of a circuit, whether or not they are there. */
export function productionParams(
  folders: Pick<ParamsFolders, 'productionDir'>,
  shape: SectorShape,
): ParamsLocation {
  const path = (extension: 'params' | 'vk') =>
    join(folders.productionDir, parameterFileName(shape, extension));
  return { kind: 'production', paramsPath: path('params'), vkPath: path('vk') };
}

const exists = async (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  );

/**
 * The parameters to use for a circuit: production ones where they are; development ones only where they are
 * allowed. Throws CuzkError PARAMS_MISSING that names the files wanted.
 */
export async function findParams(
  folders: ParamsFolders,
  shape: SectorShape,
): Promise<ParamsLocation> {
  const production = productionParams(folders, shape);
  if (await exists(production.paramsPath)) return production;
  const development = developmentParams(folders, shape);
  if (folders.allowDevelopmentParams && (await exists(development.paramsPath))) return development;
  throw new CuzkError('PARAMS_MISSING', `no parameters for ${shape.name} sectors`, {
    expected: folders.allowDevelopmentParams
      ? `${production.paramsPath} or ${development.paramsPath}`
      : production.paramsPath,
    found: 'no such file',
    action: folders.allowDevelopmentParams
      ? `fetch the production file, or make development parameters: cuzk params make --sector ${shape.name}`
      : 'fetch the production file into FIL_PROOFS_PARAMETER_CACHE; for tests set ALLOW_DEVELOPMENT_PARAMS=1',
  });
}

/**
 * Checks a production file against the digest Filecoin publishes (first 16 bytes of BLAKE2b-512, spec §4.6),
 * once per path, size and modification time: the outcome is remembered in `memoryFile`. Development files are
 * checked by whoever made them. Throws CuzkError PARAMS_DIGEST_MISMATCH.
 */
export async function checkPublishedDigest(
  location: ParamsLocation,
  shape: SectorShape,
  memoryFile: string,
  options: { full?: boolean; onBytes?: (done: number, total: number) => void } = {},
): Promise<void> {
  if (location.kind !== 'production') return;
  const expected = PRODUCTION_PARAMS[circuitId(shape)]?.params.digest;
  if (expected === undefined) return;
  const { size } = await stat(location.paramsPath);
  if (options.full !== true && (await isDigestRemembered(location, shape, memoryFile))) return;
  const hash = createHash('blake2b512');
  let done = 0;
  for await (const chunk of createReadStream(location.paramsPath, { highWaterMark: 1 << 22 })) {
    hash.update(chunk as Uint8Array);
    done += (chunk as Uint8Array).length;
    options.onBytes?.(done, size);
  }
  const found = hash.digest('hex').slice(0, 32);
  if (found !== expected) {
    await forgetDigest(location, shape, memoryFile);
    throw new CuzkError(
      'PARAMS_DIGEST_MISMATCH',
      `${location.paramsPath} is not the published file`,
      {
        expected,
        found,
        action: 'fetch the file again',
      },
    );
  }
  await rememberDigest(location, shape, memoryFile);
}

/** Whether this very file (path, size, modification time) is remembered to have the published digest. */
export async function isDigestRemembered(
  location: ParamsLocation,
  shape: SectorShape,
  memoryFile: string,
): Promise<boolean> {
  return (await readMemory(memoryFile)).includes(await memoryKey(location, shape));
}

/** Remembers that the file, as it is now, has the published digest. For whoever has just computed it. */
export async function rememberDigest(
  location: ParamsLocation,
  shape: SectorShape,
  memoryFile: string,
): Promise<void> {
  await remember(await memoryKey(location, shape), memoryFile);
}

/** Whether the points of this very file were found in their subgroups, or made there. */
export async function areSubgroupsRemembered(
  paramsPath: string,
  memoryFile: string,
): Promise<boolean> {
  return (await readMemory(memoryFile)).includes(await subgroupKey(paramsPath));
}

/** Remembers that all points of the file, as it is now, are in their subgroups. For whoever has tested or made them. */
export async function rememberSubgroups(paramsPath: string, memoryFile: string): Promise<void> {
  await remember(await subgroupKey(paramsPath), memoryFile);
}

async function remember(key: string, memoryFile: string): Promise<void> {
  const remembered = await readMemory(memoryFile);
  if (remembered.includes(key)) return;
  // What cannot be written is no failure: it is found out again.
  await replaceFile(memoryFile, JSON.stringify([...remembered, key])).catch(() => {});
}

/** A file that turned out to be another one must not be let through by what was remembered. */
async function forgetDigest(
  location: ParamsLocation,
  shape: SectorShape,
  memoryFile: string,
): Promise<void> {
  const key = await memoryKey(location, shape);
  const remembered = await readMemory(memoryFile);
  if (!remembered.includes(key)) return;
  await replaceFile(memoryFile, JSON.stringify(remembered.filter((entry) => entry !== key)));
}

async function memoryKey({ paramsPath }: ParamsLocation, shape: SectorShape): Promise<string> {
  const expected = PRODUCTION_PARAMS[circuitId(shape)]?.params.digest ?? 'none';
  return `${await fileKey(paramsPath)} ${expected}`;
}

const subgroupKey = async (paramsPath: string): Promise<string> =>
  `${await fileKey(paramsPath)} subgroups`;

async function fileKey(path: string): Promise<string> {
  const { size, mtimeMs } = await stat(path);
  return `${path} ${size} ${mtimeMs}`;
}

async function readMemory(path: string): Promise<string[]> {
  try {
    const parsed: unknown = JSON.parse(await readFile(path, 'utf8'));
    return Array.isArray(parsed) ? parsed.filter((entry) => typeof entry === 'string') : [];
  } catch {
    return [];
  }
}
