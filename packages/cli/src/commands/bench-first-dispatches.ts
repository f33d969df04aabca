import { openDevice } from '@cuzk/gpu/device/device';
import type { Command } from 'commander';
import { abortOnSignals } from '../abort-on-signals.ts';
import { measureFirstDispatches, timeFirstDispatches } from '../bench/kernels/first-dispatches.ts';
import { resultLine } from '../bench/kernels/kernel-result.ts';
import type { CliContext } from '../cli-context.ts';
import { keepCompiledKernels } from '../config.ts';
import { secondsText } from '../terminal/figures.ts';
import { benchGroup } from './bench-group.ts';

/** `cuzk bench first-dispatches`: what kernels take to compile, with none kept and with what the driver keeps. */
export function defineBenchFirstDispatches(program: Command, context: CliContext): void {
  benchGroup(program)
    .command('first-dispatches')
    .description('what kernels take to compile: none kept, and kept by the driver')
    .option('--here', 'in this process, with what the driver has kept: a small circuit twice')
    .action(({ here }: { readonly here?: true }) => (here ? showHere(context) : showBoth(context)));
}

async function showHere({ config, output, setExitCode }: CliContext): Promise<void> {
  const report = await measureFirstDispatches(config, output.progress);
  if (!report.verified) setExitCode(1);
  const { adapter, ahead, compileSeconds, firstSeconds, secondSeconds, pipelines } = report;
  output.result(report, [
    `${adapter}: ${pipelines} pipelines, ${secondsText(compileSeconds)} to compile`,
    ahead === null
      ? 'nothing compiled ahead'
      : `${ahead.pipelines} compiled ahead by ${ahead.processes} processes in ${secondsText(ahead.seconds)}`,
    `small circuit, parameters and proof: ${secondsText(firstSeconds)}, again ${secondsText(secondSeconds)}`,
    report.verified ? 'both proofs verified' : 'a proof did NOT verify',
  ]);
}

async function showBoth({ config, output, setExitCode }: CliContext): Promise<void> {
  keepCompiledKernels(config);
  const { context, close } = await openDevice(config.gpu);
  try {
    const options = { signal: abortOnSignals(), onLine: output.progress };
    const results = await timeFirstDispatches(config, context, options);
    if (results.some(({ passed }) => !passed)) setExitCode(1);
    const adapter = context.traits.description;
    output.result({ adapter, results }, [adapter, ...results.map(resultLine)]);
  } finally {
    close();
  }
}
