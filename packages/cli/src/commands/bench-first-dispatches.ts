import type { Command } from 'commander';
import { measureFirstDispatches } from '../bench/kernels/first-dispatches.ts';
import type { CliContext } from '../cli-context.ts';
import { secondsText } from '../figures.ts';
import { benchGroup } from './bench-group.ts';

/** `cuzk bench first-dispatches`: what compiling takes in a new process. `bench kernels` runs it on software adapters. */
export function defineBenchFirstDispatches(
  program: Command,
  { config, output, setExitCode }: CliContext,
): void {
  benchGroup(program)
    .command('first-dispatches')
    .description('what kernels take to compile in this process: one small circuit twice')
    .action(async () => {
      const report = await measureFirstDispatches(config);
      if (!report.verified) setExitCode(1);
      const { adapter, firstSeconds, secondSeconds, pipelines, verified } = report;
      output.result(report, [
        `${adapter}: ${pipelines} pipelines`,
        `small circuit, parameters and proof: ${secondsText(firstSeconds)}, again ${secondsText(secondSeconds)}`,
        verified ? 'both proofs verified' : 'a proof did NOT verify',
      ]);
    });
}
