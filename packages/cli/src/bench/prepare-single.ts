import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import type { PorepVariant } from '@cuzk/core/porep/registered-proof';
import type { SectorShape } from '@cuzk/core/porep/sector';
import { findParams } from '@cuzk/service-kit/circuits/params-folder';
import { shapePath } from '@cuzk/service-kit/circuits/shape-cache';
import { type CliConfig, parameterFolders } from '../config.ts';
import { runSelf } from '../demo/run-self.ts';
import type { SectorC1 } from '../verify/verify-c1-proof.ts';

export interface MadeUpSectors {
  readonly sector: SectorShape;
  readonly variant: PorepVariant;
  /** The first one's seed; the others follow. */
  readonly seed: bigint;
  readonly count: number;
}

interface StepOptions {
  readonly signal: AbortSignal;
  onLine(line: string): void;
}

/** The configuration of a system that proves one sector size only. */
export const benchConfig = (config: CliConfig, sector: SectorShape): CliConfig => ({
  ...config,
  environment: {
    ...config.environment,
    CUZK_CACHE_DIR: config.cacheDir,
    SECTOR_SIZES: sector.name,
  },
});

/**
 * Nothing is started that could not prove in the end. Errors: PARAMS_MISSING where there are neither parameters nor
 * leave to generate them on the device.
 */
export async function requireParams(config: CliConfig, sector: SectorShape): Promise<void> {
  const { GENERATE_DEVELOPMENT_SRS } = config.environment;
  if (config.allowDevelopmentParams && GENERATE_DEVELOPMENT_SRS === '1') return;
  await findParams(parameterFolders(config), sector);
}

/**
 * Compiles the circuit into the cache folder where it is not there: the gpu-worker would do so too, but that is no part
 * of the time to ready.
 */
export async function prepareShape(
  config: CliConfig,
  sector: SectorShape,
  options: StepOptions,
): Promise<void> {
  if (existsSync(shapePath(config.cacheDir, sector))) return;
  options.onLine(`compiling the circuit of ${sector.name}, once for this machine`);
  await runSelf(['circuit', '--sector', sector.name], {
    environment: { ...config.environment, CUZK_CACHE_DIR: config.cacheDir },
    ...options,
  });
}

/**
 * C1 files of sectors that were never sealed, each made in a process of its own, as many at once as there are cores.
 */
export async function makeUpC1s(
  config: CliConfig,
  made: MadeUpSectors,
  options: StepOptions,
): Promise<{ readonly sectors: readonly SectorC1[]; remove(): void }> {
  const folder = mkdtempSync(join(tmpdir(), 'cuzk-c1-'));
  const remove = (): void => rmSync(folder, { recursive: true, force: true });
  const sectors: SectorC1[] = [];
  const places = Array.from({ length: made.count }, (_, i) => i);
  const takeNext = async (): Promise<void> => {
    for (let i = places.shift(); i !== undefined; i = places.shift()) {
      sectors[i] = await makeUpC1(config, made, i, folder, options);
    }
  };
  try {
    await Promise.all(Array.from({ length: availableParallelism() }, takeNext));
    return { sectors, remove };
  } catch (error) {
    remove();
    throw error;
  }
}

async function makeUpC1(
  config: CliConfig,
  { sector, variant, seed }: MadeUpSectors,
  i: number,
  folder: string,
  options: StepOptions,
): Promise<SectorC1> {
  const c1File = join(folder, `${i}.c1.json`);
  const numbers = { miner: 'f01000', sectorNumber: String(i + 1) };
  await runSelf(
    [
      ...['bench', 'make-c1', '--sector', sector.name, '--variant', variant],
      ...['--seed', String(seed + BigInt(i)), '--out', c1File],
      ...['--miner', numbers.miner, '--sector-number', numbers.sectorNumber],
    ],
    { environment: config.environment, ...options },
  );
  return { c1File, ...numbers };
}
