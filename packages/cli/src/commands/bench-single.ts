import { CuzkError } from '@cuzk/core/errors';
import type { PorepVariant } from '@cuzk/core/porep/registered-proof';
import { parseMinerAddress } from '@cuzk/core/porep/replica-id';
import type { Command } from 'commander';
import { abortOnSignals } from '../abort-on-signals.ts';
import { parseCount, parseSectorArgument, parseSectorNumber, parseSeed } from '../arguments.ts';
import { runSingle, type SingleReport, type SingleSource } from '../bench/run-single.ts';
import type { CliContext } from '../cli-context.ts';
import { gibText, secondsText } from '../terminal/figures.ts';
import { benchGroup, variantOption } from './bench-group.ts';

interface SingleOptions {
  readonly sector: string;
  readonly synthetic?: true;
  readonly c1?: string;
  readonly miner?: string;
  readonly sectorNumber?: string;
  readonly variant: PorepVariant;
  readonly seed: string;
  readonly proofs: string;
  readonly url?: string;
}

const MOST_PROOFS = 64;

/** `cuzk bench single`: whole proofs over HTTP, from POST to verified, with the time of every phase. */
export function defineBenchSingle(program: Command, context: CliContext): void {
  const { config, output, setExitCode } = context;
  benchGroup(program)
    .command('single')
    .description('prove over HTTP, from POST to verified, and show where time and memory went')
    .requiredOption('--sector <size>', 'sector size, such as 32GiB')
    .option('--synthetic', 'make up a sector; otherwise --c1 names one')
    .option('--c1 <file>', 'C1 to prove, with --miner and --sector-number')
    .option('--miner <address>', 'ID address of the miner of --c1')
    .option('--sector-number <number>', 'number of the sector of --c1')
    .addOption(variantOption('PoRep variant of made-up sectors'))
    .option('--seed <number>', 'of the first made-up sector; the same seed gives the same C1', '1')
    .option('--proofs <number>', 'made-up sectors, all sent at once', '1')
    .option('--url <url>', 'address of an API that runs; without it a whole system is started')
    .action(async (options: SingleOptions) => {
      const sector = parseSectorArgument(options.sector);
      const report = await runSingle(config, {
        sector,
        source: sourceOf(options),
        apiUrl: options.url,
        signal: abortOnSignals(),
        onLine: output.progress,
      });
      if (!report.verified) setExitCode(1);
      output.result(report, reportLines(report));
    });
}

function sourceOf(options: SingleOptions): SingleSource {
  const { synthetic, c1, miner, sectorNumber, variant } = options;
  const count = parseCount('--proofs', options.proofs, MOST_PROOFS);
  if (synthetic === true && c1 === undefined) {
    return { kind: 'synthetic', variant, seed: parseSeed(options.seed), count };
  }
  const named = c1 !== undefined && miner !== undefined && sectorNumber !== undefined;
  if (synthetic === undefined && named && count === 1) {
    parseMinerAddress(miner);
    parseSectorNumber(sectorNumber);
    return { kind: 'file', sector: { c1File: c1, miner, sectorNumber } };
  }
  throw new CuzkError('REQUEST_INVALID', 'it is not clear what is to be proved', {
    expected: '--synthetic, or one --c1 with --miner and --sector-number',
  });
}

function reportLines(report: SingleReport): string[] {
  const width = Math.max(...Object.keys(report.phases).map((name) => name.length), 0);
  const phases = Object.entries(report.phases).map(
    ([name, { medianSeconds, maxSeconds, clock }]) =>
      `  ${name.padEnd(width)} ${secondsText(medianSeconds).padStart(10)}  ${secondsText(maxSeconds).padStart(10)}  ${clock}`,
  );
  const memory = Object.entries(report.peakRssBytes ?? {}).map(
    ([name, bytes]) => `  ${name} ${gibText(bytes)}`,
  );
  const device = Object.entries(report.peakDeviceBytes).map(
    ([name, bytes]) => `  ${name} ${gibText(bytes)}`,
  );
  const between = secondsText(report.secondsBetweenPartitions ?? 0);
  return [
    `${report.registeredProof}: ${report.proofs} proof(s) of ${report.partitions} partition(s), ${report.verified ? 'VERIFIED' : 'NOT VERIFIED'}, ${report.parameters} parameters`,
    `${secondsText(report.secondsPerProof)} a proof; POST to verified ${report.postToVerifiedSeconds.map(secondsText).join(', ')}`,
    `a partition: ${secondsText(report.synthesizeSecondsPerPartition)} of synthesis on one core, ${secondsText(report.proveSecondsPerPartition)} on the device; one ends ${between} after the other`,
    `adapter ${report.adapters.join(', ')}`,
    `at most ${gibText(report.peakDeviceTotalBytes)} on the device`,
    ...device,
    `at most ${gibText(report.peakRssTotalBytes)} resident in all processes`,
    ...memory,
    `phases of a partition: median, largest`,
    ...phases,
  ];
}
