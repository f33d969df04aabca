import type { CliConfig } from './config.ts';
import type { Output } from './terminal/output.ts';

/** What every command is handed. */
export interface CliContext {
  readonly config: CliConfig;
  readonly output: Output;
  /** Exit code of a command that ran to its end and whose answer is "no", such as a proof that does not verify. */
  setExitCode(code: number): void;
}
