import { circuitId } from '@cuzk/core/porep/circuit-id';
import { PRODUCTION_PARAMS } from '@cuzk/core/porep/production-params';
import { SECTOR_SHAPES, type SectorShape } from '@cuzk/core/porep/sector';
import {
  developmentParams,
  isDigestRemembered,
  type ParamsLocation,
  productionParams,
} from '@cuzk/service-kit/circuits/params-folder';
import type { Command } from 'commander';
import type { CliContext } from '../cli-context.ts';
import { type CliConfig, digestMemoryFile, parameterFolders } from '../config.ts';
import { sizeOf } from '../params/check-params.ts';
import { type WorkerCircuit, workerCircuits } from '../params/worker-circuits.ts';
import { gibText } from '../terminal/figures.ts';
import { paramsGroup } from './params-group.ts';

interface FileStatus {
  readonly paramsPath: string;
  /** null: not there. */
  readonly paramsBytes: number | null;
  readonly vkBytes: number | null;
}

interface SectorStatus {
  readonly sector: string;
  /** Whether Filecoin publishes parameters of this size. */
  readonly published: boolean;
  /** `digestChecked`: this very file was compared with its published digest before. */
  readonly production: FileStatus & { readonly digestChecked: boolean };
  readonly development: FileStatus;
}

/** `cuzk params status`: which parameters this machine has, and a gpu-worker on its device. Reads no file. */
export function defineParamsStatus(program: Command, { config, output }: CliContext): void {
  paramsGroup(program)
    .command('status')
    .description('which parameters this machine has, and whether they were checked')
    .option('--worker <url>', 'also what is on the device of this gpu-worker')
    .action(async ({ worker }: { worker?: string }) => {
      const onDevice = worker === undefined ? null : await workerCircuits(worker);
      const sectors = await Promise.all(SECTOR_SHAPES.map((sector) => statusOf(config, sector)));
      const { parameterDir } = config;
      const { developmentDir } = parameterFolders(config);
      output.result({ parameterDir, developmentDir, sectors, onDevice }, [
        `production files in ${parameterDir}`,
        `development files in ${developmentDir}`,
        ...sectors.map(statusLine),
        ...(onDevice === null ? [] : [`on the device of ${worker}`, ...onDevice.map(deviceLine)]),
      ]);
    });
}

async function statusOf(config: CliConfig, sector: SectorShape): Promise<SectorStatus> {
  const folders = parameterFolders(config);
  const production = productionParams(folders, sector);
  const files = await filesOf(production);
  const there = files.paramsBytes !== null;
  return {
    sector: sector.name,
    published: PRODUCTION_PARAMS[circuitId(sector)] !== undefined,
    production: {
      ...files,
      digestChecked:
        there && (await isDigestRemembered(production, sector, digestMemoryFile(config))),
    },
    development: await filesOf(developmentParams(folders, sector)),
  };
}

const filesOf = async ({ paramsPath, vkPath }: ParamsLocation): Promise<FileStatus> => ({
  paramsPath,
  paramsBytes: await sizeOf(paramsPath),
  vkBytes: await sizeOf(vkPath),
});

function statusLine({ sector, published, production, development }: SectorStatus): string {
  const text = ({ paramsBytes, vkBytes }: FileStatus): string => {
    if (paramsBytes === null) return vkBytes === null ? 'none' : 'the key only';
    return `${gibText(paramsBytes)}${vkBytes === null ? ', NO KEY' : ''}`;
  };
  const checked = production.digestChecked ? ', digest checked' : '';
  const own = published ? `${text(production)}${checked}` : 'not published';
  return `  ${sector.padEnd(7)} production: ${own}; insecure-development: ${text(development)}`;
}

function deviceLine({
  sector,
  kind,
  residentBytes,
  provingBytes,
  users,
  idleSeconds,
  plan,
}: WorkerCircuit): string {
  const use = users > 0 ? `${users} proof(s) of it` : `idle for ${idleSeconds} s`;
  const passing = plan === null ? '' : `, ${gibText(plan.streamedBytes.each)} pass for a partition`;
  return `  ${sector.padEnd(7)} ${kind}: ${gibText(residentBytes)} stay, ${gibText(provingBytes)} while it proves${passing}; ${use}`;
}
