import type { Command } from 'commander';
import { abortOnSignals } from '../abort-on-signals.ts';
import { parseCount, parseSectorArgument } from '../arguments.ts';
import { resultLine } from '../bench/kernels/kernel-result.ts';
import { runKernels } from '../bench/kernels/run-kernels.ts';
import type { CliContext } from '../cli-context.ts';
import { secondsText } from '../terminal/figures.ts';
import { benchGroup } from './bench-group.ts';

interface KernelsArguments {
  readonly quick?: true;
  readonly maxLogN: string;
  readonly sector: readonly string[];
}

/** Most consumer GPUs have no room for more. */
const DEFAULT_MAX_LOG_N = '24';
const LARGEST_LOG_N = 28;

/** `cuzk bench kernels`: what each kernel reaches on this device, every result checked. */
export function defineBenchKernels(program: Command, context: CliContext): void {
  const { config, output, setExitCode } = context;
  benchGroup(program)
    .command('kernels')
    .description('rates, transforms, MSMs and whole proofs on this device, each result checked')
    .option('--quick', 'small sizes only')
    .option('--max-log-n <number>', 'log2 of the largest transform and MSM', DEFAULT_MAX_LOG_N)
    .option(
      '--sector <size...>',
      'also whole partitions of these sector sizes, parameters made on the device',
      [],
    )
    .action(async (options: KernelsArguments) => {
      const report = await runKernels(config, {
        quick: options.quick === true,
        maxLogN: parseCount('--max-log-n', options.maxLogN, LARGEST_LOG_N),
        sectors: options.sector.map(parseSectorArgument),
        signal: abortOnSignals(),
        // whole lines with the time: what a run that is stopped has measured is not lost
        onResult: (result, seconds) =>
          output.progress(`${secondsText(seconds).padStart(9)} ${resultLine(result)}`),
        onLine: output.progress,
      });
      if (!report.passed) setExitCode(1);
      const wrong = report.results.filter(({ passed }) => !passed).length;
      output.result(report, [
        `${report.adapter}: fp ${report.variants.fp}, fr ${report.variants.fr}`,
        ...report.results.map(resultLine),
        wrong === 0
          ? `all results right, ${secondsText(report.seconds)}`
          : `${wrong} results WRONG, ${secondsText(report.seconds)}`,
      ]);
    });
}
