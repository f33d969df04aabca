import type { VerifyingKey } from '@cuzk/core/groth16/types';
import { decodeVerifyingKey } from '@cuzk/core/groth16/verifying-key';
import type { SectorShape } from '@cuzk/core/porep/sector';
import type { ParametersKind } from '@cuzk/service-kit/circuits/params-folder';
import { readVerifyingKey } from '@cuzk/service-kit/circuits/verifying-key';
import { type CliConfig, parameterFolders } from '../config.ts';
import { readInput } from '../files/read-input.ts';

export interface LoadedVerifyingKey {
  readonly key: VerifyingKey;
  readonly path: string;
  /** `unknown`: a file that the user named; nothing was compared with it. */
  readonly parameters: ParametersKind | 'unknown';
}

/**
 * The verifying key of a circuit: the file `path`, or the production key of this machine, or its development
 * key where these are allowed; `kind` asks for one of the two. Errors: PARAMS_MISSING, PARAMS_DIGEST_MISMATCH,
 * PARAMS_MALFORMED.
 */
export async function loadVerifyingKey(
  config: CliConfig,
  sector: SectorShape,
  path: string | undefined,
  kind: ParametersKind | null = null,
): Promise<LoadedVerifyingKey> {
  if (path !== undefined) {
    return { key: decodeVerifyingKey(await readInput(path)), path, parameters: 'unknown' };
  }
  const file = await readVerifyingKey(parameterFolders(config), sector, kind);
  return { key: decodeVerifyingKey(file.bytes), path: file.path, parameters: file.kind };
}
