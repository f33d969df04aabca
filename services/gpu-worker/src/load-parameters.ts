import { join } from 'node:path';
import type { SectorShape } from '@cuzk/core/porep/sector';
import {
  areSubgroupsRemembered,
  checkPublishedDigest,
  type ParamsFolders,
  rememberSubgroups,
} from '@cuzk/service-kit/circuits/params-folder';
import { requireOwnKey } from '@cuzk/service-kit/circuits/verifying-key';
import type { GpuProcess } from './gpu-process.ts';
import type { ParamsToLoad } from './params-to-load.ts';

interface LoadOptions {
  readonly folders: ParamsFolders;
  readonly cacheDir: string;
  /** GPU_MEMORY_LIMIT. */
  readonly memoryLimit: string;
  /** What is done, for people. */
  readonly onStatus: (status: string) => void;
}

/**
 * Checks the parameters of a sector size as far as a host can, and puts them on the device, which checks the points.
 * Errors: PARAMS_*, and as GpuProcess.load.
 */
export async function loadParameters(
  process: GpuProcess,
  sector: SectorShape,
  location: ParamsToLoad,
  { folders, cacheDir, memoryLimit, onStatus }: LoadOptions,
): ReturnType<GpuProcess['load']> {
  const { generate, vkPath, paramsPath } = location;
  const request = { sectorBytes: sector.sectorBytes, cacheDir, memoryLimit };
  if (generate === true) {
    onStatus(`loading ${sector.name}`);
    return process.load({ ...request, source: { kind: 'generate', vkPath } });
  }
  await requireOwnKey(folders, sector, location);
  const memory = join(cacheDir, 'params-verified.json');
  await checkPublishedDigest(location, sector, memory, {
    onBytes: (done, total) =>
      onStatus(`checking ${sector.name} parameters ${Math.floor((100 * done) / total)} %`),
  });
  onStatus(`loading ${sector.name}`);
  const subgroupChecked = await areSubgroupsRemembered(paramsPath, memory);
  const loaded = await process.load({
    ...request,
    source: { kind: 'file', paramsPath, subgroupChecked },
  });
  await rememberSubgroups(paramsPath, memory);
  return loaded;
}
