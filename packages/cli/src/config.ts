import { join } from 'node:path';
import { CuzkError } from '@cuzk/core/errors';
import { driverCaches } from '@cuzk/service-kit/circuits/driver-caches';
import { cacheDirOf } from '@cuzk/service-kit/config/parameter-settings';
import { DEFAULT_MIRRORS } from './params/mirrors.ts';

export type GpuMode = 'auto' | 'hardware' | 'software';

/** What the command line reads from the environment; nothing else in packages/cli reads it. */
export interface CliConfig {
  /** Circuit shapes, development parameters and compiled kernels live here. */
  readonly cacheDir: string;
  /** Where production parameters (`.params`, `.vk`) are looked for. */
  readonly parameterDir: string;
  /** Where published parameters may be fetched from; params/mirrors.ts has the form. */
  readonly parameterMirrors: string;
  readonly allowDevelopmentParams: boolean;
  readonly gpu: GpuMode;
  /** Most gpu-workers that are started here; one for each card otherwise. */
  readonly gpuWorkers: number;
  /** Sent to an API that asks for a key; empty: none. */
  readonly apiKey: string;
  /** A Redis that already runs; undefined: one is started. */
  readonly redisUrl: string | undefined;
  /** Passed on to the processes this one starts. */
  readonly environment: Readonly<Record<string, string>>;
}

/** More cards than any machine has. */
const MOST_WORKERS = 16;
const WORKER_COUNTS = Array.from({ length: MOST_WORKERS }, (_, i) => String(i + 1));

/** Filecoin's own default for its parameter cache. */
const FILECOIN_PARAMETER_DIR = '/var/tmp/filecoin-proof-parameters';

/** Reads and checks the environment. Throws CuzkError CONFIG_INVALID, which names every wrong variable. */
export function readConfig(source: NodeJS.ProcessEnv = process.env): CliConfig {
  const problems: string[] = [];
  const choose = <T extends string>(name: string, allowed: readonly T[], fallback: T): T => {
    const value = source[name] || fallback;
    const found = allowed.find((option) => option === value);
    if (found === undefined) problems.push(`${name} is "${value}", not ${allowed.join(' or ')}`);
    return found ?? fallback;
  };
  const config: CliConfig = {
    cacheDir: cacheDirOf({
      CUZK_CACHE_DIR: source.CUZK_CACHE_DIR ?? '',
      XDG_CACHE_HOME: source.XDG_CACHE_HOME ?? '',
    }),
    parameterDir: source.FIL_PROOFS_PARAMETER_CACHE || FILECOIN_PARAMETER_DIR,
    parameterMirrors: source.PARAMETER_MIRRORS || DEFAULT_MIRRORS,
    allowDevelopmentParams: choose('ALLOW_DEVELOPMENT_PARAMS', ['0', '1'], '0') === '1',
    gpuWorkers: Number(choose('GPU_WORKERS', WORKER_COUNTS, String(MOST_WORKERS))),
    gpu: choose('GPU', ['auto', 'hardware', 'software'], 'auto'),
    apiKey: source.API_KEY ?? '',
    redisUrl: source.REDIS_URL || undefined,
    environment: Object.fromEntries(
      Object.entries(source).filter((entry): entry is [string, string] => entry[1] !== undefined),
    ),
  };
  if (problems.length > 0) {
    throw new CuzkError('CONFIG_INVALID', problems.join('; '), {
      expected: 'environment variables as in the configuration table of the README',
      found: problems.join('; '),
    });
  }
  return config;
}

/** Where parameters are, in the form that service-kit looks them up. */
export const parameterFolders = (config: CliConfig) => ({
  productionDir: config.parameterDir,
  developmentDir: join(config.cacheDir, 'params'),
  allowDevelopmentParams: config.allowDevelopmentParams,
});

/** Where it is remembered which production files had the published digest. The gpu-worker uses the same file. */
export const digestMemoryFile = (config: CliConfig): string =>
  join(config.cacheDir, 'params-verified.json');

/**
 * Tells drivers, which read the environment by themselves, where to keep compiled kernels; a choice of the user stays.
 */
export function keepCompiledKernels({ cacheDir }: Pick<CliConfig, 'cacheDir'>): void {
  for (const [name, folder] of Object.entries(driverCaches(cacheDir))) {
    process.env[name] ??= folder;
  }
}
