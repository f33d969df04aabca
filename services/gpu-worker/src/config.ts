import { availableParallelism } from 'node:os';
import { CuzkError } from '@cuzk/core/errors';
import { driverCaches } from '@cuzk/service-kit/circuits/driver-caches';
import { loadConfig } from '@cuzk/service-kit/config/load-config';
import { PARAMETER_SETTINGS } from '@cuzk/service-kit/config/parameter-settings';
import { flag, milliseconds, SHARED_SETTINGS } from '@cuzk/service-kit/config/shared-settings';
import { type Static, Type } from 'typebox';
import { MEMORY_LIMIT_PATTERN } from './memory-budget.ts';
import { wantedSectors } from './wanted-sectors.ts';

export const GPU_WORKER_SETTINGS = Type.Object({
  ...SHARED_SETTINGS,
  ...PARAMETER_SETTINGS,
  OPS_PORT: Type.Integer({
    minimum: 0,
    maximum: 65_535,
    default: 9466,
    description: 'Port of /healthz, /readyz, /metrics',
  }),
  GPU: Type.String({
    enum: ['auto', 'hardware', 'software'],
    default: 'auto',
    description:
      'auto takes a GPU where the machine has one and a software adapter where it has none',
  }),
  SECTOR_SIZES: Type.String({
    default: '',
    description:
      'Sector sizes to load at start, e.g. "2KiB,32GiB"; empty = every size whose parameters are there',
  }),
  GENERATE_DEVELOPMENT_SRS: flag(
    'Make the development SRS of SECTOR_SIZES in device memory instead of reading a file; needs ALLOW_DEVELOPMENT_PARAMS',
  ),
  GPU_MEMORY_LIMIT: Type.String({
    default: '',
    pattern: MEMORY_LIMIT_PATTERN,
    description:
      'Most device memory that this worker takes, in bytes ("22GiB") or as a share of the card ("80%"); parameters that do not fit are streamed, and what does not fit even so is refused before it is loaded; empty = what is free',
  }),
  HELD_PARTITIONS: Type.Integer({
    minimum: 1,
    maximum: 9,
    default: 1,
    description:
      'Partitions taken at once, one more is made ready ahead; more than 1 for a device that does not hold all parameters: what is streamed passes once for all of them',
  }),
  CHECK_WITNESS: flag('Check every row of the circuit on the device before proving (C·w)', '1'),
  PROVER: Type.String({
    enum: ['device', 'simulated'],
    default: 'device',
    description:
      'simulated: computes nothing and marks every result as such; needs ALLOW_SIMULATED_PROVER',
  }),
  SIMULATED_DEVICES: Type.Integer({
    minimum: 1,
    maximum: 64,
    default: 1,
    description: 'Partitions that a simulated prover holds at once',
  }),
  SIMULATED_PROVE_MS: milliseconds('What a partition takes a simulated prover', 1_400),
  SIMULATED_FAIL_SHARE: Type.Number({
    minimum: 0,
    maximum: 1,
    default: 0,
    description: 'Share of attempts that fail in a simulated prover',
  }),
  DEVICE_HANG_MS: Type.Integer({
    minimum: 1_000, // News come once a second.
    default: 120_000,
    description: 'A device without news for this long is killed',
  }),
});

export type GpuWorkerConfig = Readonly<Static<typeof GPU_WORKER_SETTINGS>>;

/** Reads the settings of the gpu-worker. Throws CuzkError CONFIG_INVALID with every problem. */
export const readConfig = (environment: NodeJS.ProcessEnv = process.env): GpuWorkerConfig =>
  checked(loadConfig(GPU_WORKER_SETTINGS, environment));

/** Threads that read files at once: with four of them 15 GiB/s came from page cache on an H200 host, with twelve 25. */
const MOST_READERS = 12;

/**
 * Environment of the process that owns the device. A software adapter gathers points at random from that process's
 * memory, so glibc is asked for huge pages; drivers keep compiled kernels in the cache folder, and parameters are read
 * by as many threads as help. A choice of the user stays.
 */
export const deviceEnvironment = (
  cacheDir: string,
  environment: NodeJS.ProcessEnv = process.env,
) => ({
  GLIBC_TUNABLES: 'glibc.malloc.hugetlb=1',
  UV_THREADPOOL_SIZE: String(Math.max(4, Math.min(MOST_READERS, availableParallelism()))),
  ...driverCaches(cacheDir, environment.INSTANCE),
  ...environment,
});

function checked(config: GpuWorkerConfig): GpuWorkerConfig {
  wantedSectors(config); // Throws for what there is not.
  if (config.PROVER !== 'simulated' || config.ALLOW_SIMULATED_PROVER === '1') return config;
  throw new CuzkError('CONFIG_INVALID', 'PROVER=simulated is for load tests only.', {
    expected: 'ALLOW_SIMULATED_PROVER=1 beside it, or PROVER=device',
    found: 'PROVER=simulated',
  });
}
