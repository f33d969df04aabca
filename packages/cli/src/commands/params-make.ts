import { developmentToxicWaste } from '@cuzk/core/groth16/development-waste';
import { layOutParams, paramsCountsOf } from '@cuzk/core/groth16/params-layout';
import type { SectorShape } from '@cuzk/core/porep/sector';
import { makeParams } from '@cuzk/gpu/setup/setup';
import { requireDiskRoom } from '@cuzk/service-kit/circuits/disk-room';
import { developmentParams, rememberSubgroups } from '@cuzk/service-kit/circuits/params-folder';
import { loadShape } from '@cuzk/service-kit/circuits/shape-cache';
import type { Command } from 'commander';
import { parseSectorArgument } from '../arguments.ts';
import type { CliContext } from '../cli-context.ts';
import { digestMemoryFile, parameterFolders } from '../config.ts';
import { writeWithDigest } from '../files/digest-writer.ts';
import { openMachineProver } from '../open-machine-prover.ts';
import { progressBar } from '../terminal/progress-bar.ts';
import { paramsGroup } from './params-group.ts';

interface MadeParams {
  readonly paramsSha256: string;
  readonly vkSha256: string;
  readonly seconds: number;
  readonly paramsPath: string;
  readonly vkPath: string;
  readonly parameters: 'insecure-development';
}

/** `cuzk params make`: development parameters from public toxic waste, on the device. */
export function defineParamsMake(program: Command, context: CliContext): void {
  const { config, output } = context;
  paramsGroup(program)
    .command('make')
    .description('make INSECURE development parameters from public toxic waste')
    .requiredOption('--sector <size>', 'sector size, such as 2KiB')
    .option('--out <folder>', 'write here instead of the cache folder')
    .action(async (options: { sector: string; out?: string }) => {
      const sector = parseSectorArgument(options.sector);
      output.progress(
        'these parameters are insecure-development: anybody can forge proofs for them',
      );
      const folder = options.out ?? parameterFolders(config).developmentDir;
      const made = await makeDevelopmentParams(context, sector, folder);
      output.result(made, [
        `made in ${made.seconds.toFixed(0)} s:`,
        `  ${made.paramsPath}\n    sha256 ${made.paramsSha256}`,
        `  ${made.vkPath}\n    sha256 ${made.vkSha256}`,
      ]);
    });
}

/** Compiles the circuit, opens the device, makes both files. Errors: DISK_FULL, GPU_UNAVAILABLE, SETUP_FAILED. */
async function makeDevelopmentParams(
  { config, output }: CliContext,
  sector: SectorShape,
  developmentDir: string,
): Promise<MadeParams> {
  const startedAt = performance.now();
  const { paramsPath, vkPath } = developmentParams({ developmentDir }, sector);
  output.progress(`circuit of ${sector.name}`);
  const shape = await loadShape(config.cacheDir, sector);
  requireDiskRoom(paramsPath, layOutParams(paramsCountsOf(shape)).sizeBytes);
  output.progress('opening and testing the device');
  const prover = await openMachineProver(config, output.progress);
  try {
    output.progress(prover.context.traits.description);
    const onPoints = progressBar(output, `parameters of ${sector.name}`);
    let vk: Uint8Array = new Uint8Array(0);
    const paramsSha256 = await writeWithDigest(paramsPath, async (write) => {
      vk = await makeParams(prover.context, shape, developmentToxicWaste(), write, { onPoints });
    });
    // all points are multiples of the generators
    await rememberSubgroups(paramsPath, digestMemoryFile(config));
    const vkSha256 = await writeWithDigest(vkPath, (write) => write(vk));
    const seconds = Math.round(performance.now() - startedAt) / 1000;
    return {
      paramsSha256,
      vkSha256,
      seconds,
      paramsPath,
      vkPath,
      parameters: 'insecure-development',
    };
  } finally {
    prover.close();
  }
}
