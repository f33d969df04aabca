import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { readConfig } from '../config.ts';
import { runProgram } from '../program.ts';
import { createOutput } from '../terminal/output.ts';
import { problemOf } from '../terminal/problem.ts';

export interface ProgramRun {
  readonly stdout: string;
  readonly stderr: string;
  readonly exitCode: number;
}

/** A cache folder for the tests of one file. */
const cacheDir = mkdtempSync(join(tmpdir(), 'cuzk-cli-cache-'));

/**
 * Runs a command line as main.ts does, with texts instead of streams; of the environment it sees the given part
 * only, and its own cache folder.
 */
export async function runCommandLine(
  argv: readonly string[],
  environment: NodeJS.ProcessEnv = {},
): Promise<ProgramRun> {
  const texts = { stdout: '', stderr: '' };
  const sink = (name: 'stdout' | 'stderr') => ({
    write: (text: string) => {
      texts[name] += text;
    },
  });
  const output = createOutput(argv.includes('--json'), sink('stdout'), sink('stderr'));
  let exitCode = 0;
  const setExitCode = (code: number): void => {
    exitCode = code;
  };
  try {
    await runProgram(
      { config: readConfig({ CUZK_CACHE_DIR: cacheDir, ...environment }), output, setExitCode },
      argv,
    );
  } catch (error) {
    output.failure(problemOf(error));
    exitCode = 1;
  }
  return { ...texts, exitCode };
}

/** Runs it with --json and reads the one object on stdout. */
export async function runJson(
  argv: readonly string[],
  environment: NodeJS.ProcessEnv = {},
): Promise<{ value: Record<string, unknown>; exitCode: number }> {
  const { stdout, exitCode } = await runCommandLine([...argv, '--json'], environment);
  return { value: JSON.parse(stdout), exitCode };
}

/** Path of a file of the repository. */
export const repositoryFile = (path: string): string =>
  fileURLToPath(new URL(`../../../../${path}`, import.meta.url));

/** JSON of a golden vector, unpacked where it is packed. */
export function readGolden(path: string): Record<string, unknown> {
  const bytes = readFileSync(repositoryFile(`packages/core/vectors/${path}`));
  const text = path.endsWith('.gz') ? gunzipSync(bytes) : bytes;
  return JSON.parse(text.toString());
}
