import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { parseSectorSize, sectorShape } from '@cuzk/core/porep/sector';
import { developmentParams } from '@cuzk/service-kit/circuits/params-folder';
import { type CliConfig, parameterFolders } from '../config.ts';
import type { PhaseClock } from './phase-clock.ts';
import { runSelf } from './run-self.ts';

export const DEMO_SECTOR = sectorShape(parseSectorSize('2KiB'));

/** Dawn says at each start that it caps a limit nobody here uses. */
const DAWN_REMARK = /^Warning: maxDynamic\w+ artificially reduced/;

/** What `cuzk doctor` found out about the adapter. */
export interface DemoAdapter {
  readonly description: string;
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

/**
 * Everything that a first run needs besides the services: a look at the adapter, which proves a small circuit on
 * the way, then development parameters where this machine has none. Both in processes of their own.
 */
export async function prepareDemo(
  config: CliConfig,
  clock: PhaseClock,
  options: { readonly signal: AbortSignal; onLine(line: string): void },
): Promise<DemoAdapter> {
  const onLine = (line: string): void => {
    if (!DAWN_REMARK.test(line)) options.onLine(line);
  };
  const run = (...args: string[]) =>
    runSelf(args, { environment: config.environment, signal: options.signal, onLine });
  const machine = await clock.run('look at the adapter', () => run('doctor'));
  const { paramsPath, vkPath } = developmentParams(parameterFolders(config), DEMO_SECTOR);
  if (!existsSync(paramsPath) || !existsSync(vkPath)) {
    options.onLine('making insecure development parameters, once for this machine');
    await clock.run('make parameters', () => run('params', 'make', '--sector', DEMO_SECTOR.name));
  }
  return machine.adapter as DemoAdapter;
}
