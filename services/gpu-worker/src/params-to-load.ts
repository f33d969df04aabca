import type { SectorShape } from '@cuzk/core/porep/sector';
import {
  developmentParams,
  findParams,
  type ParamsFolders,
  type ParamsLocation,
} from '@cuzk/service-kit/circuits/params-folder';
import type { GpuWorkerConfig } from './config.ts';

/** Parameters of a circuit; those to be generated have no file yet. */
export type ParamsToLoad = ParamsLocation & { readonly generate?: true };

/** Where the parameters of a sector size come from. Throws CuzkError PARAMS_MISSING that names the files wanted. */
export async function paramsToLoad(
  { GENERATE_DEVELOPMENT_SRS, SECTOR_SIZES }: GpuWorkerConfig,
  folders: ParamsFolders,
  sector: SectorShape,
): Promise<ParamsToLoad> {
  const generate =
    GENERATE_DEVELOPMENT_SRS === '1' && folders.allowDevelopmentParams && SECTOR_SIZES !== '';
  if (!generate) return findParams(folders, sector);
  const production = { ...folders, allowDevelopmentParams: false };
  return findParams(production, sector).catch(() => ({
    ...developmentParams(folders, sector),
    generate: true as const,
  }));
}
