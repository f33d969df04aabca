import type { PorepVariant } from '@cuzk/core/porep/registered-proof';
import type { Command } from 'commander';
import { parseCount, parseSectorArgument, parseSeed } from '../arguments.ts';
import { runSynthOnly } from '../bench/run-synth-only.ts';
import type { CliContext } from '../cli-context.ts';
import { benchGroup, variantOption } from './bench-group.ts';

interface SynthOnlyOptions {
  readonly sector: string;
  readonly variant: PorepVariant;
  readonly seed: string;
  readonly partitions: string;
  readonly auxDigest?: true;
}

/** As many as the largest variant has. */
const MOST_PARTITIONS = 126;

/** `cuzk bench synth-only`: synthesis of a made-up sector on one core of this machine, without a device. */
export function defineBenchSynthOnly(program: Command, { config, output }: CliContext): void {
  benchGroup(program)
    .command('synth-only')
    .description('time ingest and synthesis of a made-up sector on one core, without a device')
    .requiredOption('--sector <size>', 'sector size, such as 32GiB')
    .addOption(variantOption('PoRep variant'))
    .option('--seed <number>', 'the same seed gives the same witness', '1')
    .option('--partitions <number>', 'at most so many, from the first on', String(MOST_PARTITIONS))
    .option(
      '--aux-digest',
      'also the digest of all aux, as in golden vectors; compiles the circuit',
    )
    .action(async (options: SynthOnlyOptions) => {
      const report = await runSynthOnly(config, {
        sector: parseSectorArgument(options.sector),
        variant: options.variant,
        seed: parseSeed(options.seed),
        partitions: parseCount('--partitions', options.partitions, MOST_PARTITIONS),
        auxDigest: options.auxDigest === true,
        signal: new AbortController().signal,
        onLine: output.progress,
      });
      const mib = (bytes: number): string => `${Math.round(bytes / 2 ** 20)} MiB`;
      output.result(report, [
        `${report.sector} ${report.variant}: ${report.secondsPerPartition} s a partition on one core (${report.cpuSecondsPerPartition} s of processor time)`,
        `ingest with all checks ${report.ingestSeconds} s; at most ${mib(report.peakRssBytes)} resident`,
        ...report.partitions.flatMap(({ index, seconds, witnessBytes, ...digests }) => [
          `  partition ${index}: ${seconds} s, ${mib(witnessBytes)}, sha256 ${digests.witnessSha256}`,
          ...(digests.auxSha256 === null ? [] : [`    all aux: sha256 ${digests.auxSha256}`]),
        ]),
      ]);
    });
}
