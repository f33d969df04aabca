import { exitCodeOf } from '@cuzk/service-kit/exit-code';
import { readConfig } from './config.ts';
import { runProgram } from './program.ts';
import { createOutput } from './terminal/output.ts';
import { problemOf } from './terminal/problem.ts';
import { surviveLostOutput } from './terminal/survive-lost-output.ts';

const argv = process.argv.slice(2);
const output = createOutput(argv.includes('--json'), process.stdout, process.stderr);
surviveLostOutput(process.stdout, process.stderr);
try {
  const setExitCode = (code: number): void => {
    process.exitCode = code;
  };
  await runProgram({ config: readConfig(), output, setExitCode }, argv);
} catch (error) {
  const problem = problemOf(error);
  // A fault of ours: whoever reports it needs to say where it happened.
  if (problem.code === 'INTERNAL' && error instanceof Error) output.progress(error.stack ?? '');
  output.failure(problem);
  process.exitCode = exitCodeOf(error);
}
