import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { parseSectorSize, sectorShape } from '@cuzk/core/porep/sector';
import { developmentParams } from '@cuzk/service-kit/circuits/params-folder';
import type { MultiplierReport } from '../commands/bench-multiplier.ts';
import { type CliConfig, parameterFolders } from '../config.ts';
import type { PhaseClock } from './phase-clock.ts';
import { runSelf } from './run-self.ts';

export const DEMO_SECTOR = sectorShape(parseSectorSize('2KiB'));

/** Dawn says at each start that it caps a limit nobody here uses. */
const DAWN_REMARK = /^Warning: maxDynamic\w+ artificially reduced/;

/** What `cuzk doctor` found out about the adapter. */
export interface DemoAdapter {
  readonly description: string;
  readonly software: boolean;
  readonly variants: { readonly fp: string };
  readonly fpMulPerSecondPerCore: number;
}

/**
 * The configuration of a demo: development parameters, and those only (production files are looked for in an
 * empty folder), one sector size, a Redis of its own.
 */
export function demoConfig(config: CliConfig, folder: string): CliConfig {
  const parameterDir = join(folder, 'no-production-parameters');
  const { REDIS_URL: _, ...environment } = config.environment;
  return {
    ...config,
    parameterDir,
    allowDevelopmentParams: true,
    redisUrl: undefined,
    environment: {
      ...environment,
      FIL_PROOFS_PARAMETER_CACHE: parameterDir,
      CUZK_CACHE_DIR: config.cacheDir,
      ALLOW_DEVELOPMENT_PARAMS: '1',
      SECTOR_SIZES: DEMO_SECTOR.name,
    },
  };
}

interface DemoRun {
  readonly signal: AbortSignal;
  onLine(line: string): void;
}

const runCommand = (
  { environment }: Pick<CliConfig, 'environment'>,
  { signal, onLine }: DemoRun,
  ...args: string[]
): Promise<Record<string, unknown>> =>
  runSelf(args, {
    environment,
    signal,
    onLine: (line) => {
      if (!DAWN_REMARK.test(line)) onLine(line);
    },
  });

/** `cuzk doctor` in a process of its own, which proves a small circuit on the way. */
const lookAtAdapter = async (config: CliConfig, run: DemoRun): Promise<DemoAdapter> =>
  (await runCommand(config, run, 'doctor')).adapter as DemoAdapter;

/** The rate of the multiplier that the adapter has chosen, as it is now: `cuzk bench multiplier`, in a process too. */
export async function measureAgain(
  config: CliConfig,
  { variants }: DemoAdapter,
  run: DemoRun,
): Promise<number> {
  const report = await runCommand(config, run, 'bench', 'multiplier', '--form', variants.fp);
  return (report as unknown as MultiplierReport).fpMulPerSecondPerCore;
}

/**
 * Everything that a first run needs besides the services: a look at the adapter, then development parameters where this
 * machine has none. Both in processes of their own.
 */
export async function prepareDemo(
  config: CliConfig,
  clock: PhaseClock,
  run: DemoRun,
): Promise<DemoAdapter> {
  const adapter = await clock.run('look at the adapter', () => lookAtAdapter(config, run));
  const { paramsPath, vkPath } = developmentParams(parameterFolders(config), DEMO_SECTOR);
  if (!existsSync(paramsPath) || !existsSync(vkPath)) {
    run.onLine('making insecure development parameters, once for this machine');
    await clock.run('make parameters', () =>
      runCommand(config, run, 'params', 'make', '--sector', DEMO_SECTOR.name),
    );
  }
  return adapter;
}
