import { CuzkError } from '@cuzk/core/errors';
import type { PorepVariant } from '@cuzk/core/porep/registered-proof';
import type { Command } from 'commander';
import { type AcceptanceReport, runAcceptance } from '../acceptance/run-acceptance.ts';
import { parseBytes, parseSectorArgument, parseSeed } from '../arguments.ts';
import type { CliContext } from '../cli-context.ts';
import { gibText, secondsText } from '../terminal/figures.ts';
import { progressBar } from '../terminal/progress-bar.ts';
import { variantOption } from './bench-group.ts';

interface AcceptanceArguments {
  readonly sector: string;
  readonly variant: PorepVariant;
  readonly seed: string;
  readonly parametersJson?: string;
  readonly gpuMemory?: string;
  readonly proof?: string;
  readonly c1?: string;
  readonly miner?: string;
  readonly sectorNumber?: string;
}

/** `cuzk acceptance`: whether this machine proves with the production parameters it has. Exit code 1 where not. */
export function defineAcceptance(
  program: Command,
  { config, output, setExitCode }: CliContext,
): void {
  program
    .command('acceptance')
    .description('prove a made-up sector with production parameters, and verify it')
    .requiredOption('--sector <size>', 'sector size, such as 32GiB')
    .addOption(variantOption('PoRep variant'))
    .option('--seed <number>', 'the same seed gives the same sector', '1')
    .option(
      '--parameters-json <file>',
      "digests in the form of Filecoin's parameters.json; otherwise those built in",
    )
    .option('--gpu-memory <bytes>', 'most device memory, such as 24GiB; otherwise what is free')
    .option('--proof <file>', 'a C2 that you have, to be verified too')
    .option('--c1 <file>', 'its C1')
    .option('--miner <address>', 'ID address of its miner, such as f01000')
    .option('--sector-number <number>', 'its sector number')
    .action(async (options: AcceptanceArguments) => {
      const report = await runAcceptance(config, {
        sector: parseSectorArgument(options.sector),
        variant: options.variant,
        seed: parseSeed(options.seed),
        parametersJson: options.parametersJson,
        gpuMemoryBytes:
          options.gpuMemory === undefined
            ? undefined
            : parseBytes('--gpu-memory', options.gpuMemory),
        known: knownProof(options),
        signal: new AbortController().signal,
        onLine: output.progress,
        onBytes: (what) => progressBar(output, what),
      });
      if (!report.passed) setExitCode(1);
      output.result(report, reportLines(report));
    });
}

/** Errors: REQUEST_INVALID where some of the four are missing. */
function knownProof({ proof, c1, miner, sectorNumber }: AcceptanceArguments) {
  const given = [proof, c1, miner, sectorNumber].filter((value) => value !== undefined);
  if (given.length === 0) return undefined;
  if (
    proof === undefined ||
    c1 === undefined ||
    miner === undefined ||
    sectorNumber === undefined
  ) {
    throw new CuzkError('REQUEST_INVALID', 'a C2 is verified together with what it is a proof of', {
      expected: '--proof, --c1, --miner and --sector-number',
      found: `${given.length} of the four`,
    });
  }
  return { proofFile: proof, c1File: c1, miner, sectorNumber };
}

function reportLines(report: AcceptanceReport): string[] {
  const { checks, passed, sector, variant, adapter, residency, peakDeviceBytes, paramsBytes } =
    report;
  const device =
    adapter === null || peakDeviceBytes === null || paramsBytes === null
      ? []
      : [
          `${adapter}: ${gibText(peakDeviceBytes)} of device memory at most; parameters ${gibText(paramsBytes)}, ${residency}`,
        ];
  return [
    ...checks.map(({ name, passed: good, seconds, problem }) => {
      const line = `  ${good ? 'pass' : 'FAIL'} ${secondsText(seconds).padStart(9)}  ${name}`;
      return problem === null ? line : `${line}: ${problem.message} [${problem.code}]`;
    }),
    ...device,
    `${sector} ${variant}: ${passed ? 'ACCEPTED' : 'NOT ACCEPTED'} in ${secondsText(report.seconds)}`,
  ];
}
