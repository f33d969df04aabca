import { CuzkError } from '@cuzk/core/errors';
import { Command, CommanderError } from 'commander';
import type { CliContext } from './cli-context.ts';
import { defineAcceptance } from './commands/acceptance.ts';
import { defineBenchFirstDispatches } from './commands/bench-first-dispatches.ts';
import { defineBenchKernels } from './commands/bench-kernels.ts';
import { defineBenchMakeC1 } from './commands/bench-make-c1.ts';
import { defineBenchMultiplier } from './commands/bench-multiplier.ts';
import { defineBenchQueue } from './commands/bench-queue.ts';
import { defineBenchSingle } from './commands/bench-single.ts';
import { defineBenchSoak } from './commands/bench-soak.ts';
import { defineBenchSynthOnly } from './commands/bench-synth-only.ts';
import { defineBenchTune } from './commands/bench-tune.ts';
import { defineCircuit } from './commands/circuit.ts';
import { defineDemo } from './commands/demo.ts';
import { defineDoctor } from './commands/doctor.ts';
import { defineMemmon } from './commands/memmon.ts';
import { defineParamsCheck } from './commands/params-check.ts';
import { defineParamsFetch } from './commands/params-fetch.ts';
import { defineParamsMake } from './commands/params-make.ts';
import { defineParamsResidency } from './commands/params-residency.ts';
import { defineParamsStatus } from './commands/params-status.ts';
import { definePlan } from './commands/plan.ts';
import { defineProve } from './commands/prove.ts';
import { defineServe } from './commands/serve.ts';
import { defineSubmit } from './commands/submit.ts';
import { defineTrace } from './commands/trace.ts';
import { defineVerify } from './commands/verify.ts';
import { defineWitness } from './commands/witness.ts';

const COMMANDS = [
  defineDemo,
  defineServe,
  defineSubmit,
  defineProve,
  defineVerify,
  defineParamsMake,
  defineParamsStatus,
  defineParamsCheck,
  defineParamsFetch,
  defineParamsResidency,
  defineCircuit,
  defineWitness,
  defineTrace,
  defineMemmon,
  definePlan,
  defineAcceptance,
  defineDoctor,
  defineBenchFirstDispatches,
  defineBenchKernels,
  defineBenchMakeC1,
  defineBenchMultiplier,
  defineBenchQueue,
  defineBenchSingle,
  defineBenchSoak,
  defineBenchSynthOnly,
  defineBenchTune,
];

/** The program `cuzk` with its commands; each speaks to the context it is handed. */
export function createProgram(context: CliContext): Command {
  const program = new Command('cuzk')
    .description('proves Filecoin seals on a GPU')
    .exitOverride()
    // An option behind a command's name is that command's, also where a command has commands of its own.
    .enablePositionalOptions()
    // What is wrong is reported once, by whoever catches the error.
    .configureOutput({ outputError: () => {} });
  for (const define of COMMANDS) define(program, context);
  for (const command of leaves(program)) {
    command.option('--json', 'print one JSON object on stdout; everything else goes to stderr');
  }
  return program;
}

/**
 * Runs one command line (without node and script). Throws what the command throws; a command line that cannot be
 * understood throws CuzkError REQUEST_INVALID. Asking for help is no error; a
 * command group without its command shows help and ends with 1.
 */
export async function runProgram(context: CliContext, argv: readonly string[]): Promise<void> {
  try {
    await createProgram(context).parseAsync([...argv], { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.exitCode === 0) return;
    if (error.code === 'commander.help') return context.setExitCode(1);
    throw new CuzkError('REQUEST_INVALID', error.message.replace(/^error: /, ''), {
      expected: 'a command line as cuzk --help describes it',
    });
  }
}

function leaves(command: Command): Command[] {
  return command.commands.length === 0 ? [command] : command.commands.flatMap(leaves);
}
