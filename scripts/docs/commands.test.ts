import { readConfig } from '@cuzk/cli/config';
import { createProgram } from '@cuzk/cli/program';
import { runCommandLine } from '@cuzk/cli/testing/run-program';
import { describe, expect, it } from 'vitest';
import { documents, fences, inlineCode, readRepositoryText } from './markdown.ts';

const scripts = JSON.parse(readRepositoryText('package.json')).scripts as Record<string, string>;

/** Command lines that the documents quote, in blocks and inside lines. */
const quoted = documents().flatMap(({ path, text }) =>
  [
    ...inlineCode(text),
    ...fences(text, 'sh').flatMap((block) => block.split('\n')),
    ...fences(text, 'console').flatMap((block) =>
      block
        .split('\n')
        .filter((line) => line.startsWith('$ '))
        .map((line) => line.slice(2)),
    ),
  ].map((line) => ({ path, line: line.trim() })),
);

const words = (line: string): string[] => line.split(/\s+/).filter((word) => word !== '');

/** The words after `cuzk`, where this is such a command line. */
function cuzkWords(line: string): string[] | null {
  const match = /^(?:[A-Z_]+=\S+ )*(?:npx --no )?cuzk ([a-z].*)$/.exec(line);
  return match === null ? null : words(match[1] ?? '');
}

const program = createProgram({
  config: readConfig({}),
  output: { json: false, progress: () => {}, result: () => {}, failure: () => {} },
  setExitCode: () => {},
});

type Command = ReturnType<typeof createProgram>;

/** The command that the words name, as deep as they go. */
function findCommand(from: Command, [first = '', ...rest]: readonly string[]): Command | undefined {
  const found = from.commands.find((command) => command.name() === first);
  if (found === undefined || found.commands.length === 0) return found;
  // A command that has commands of its own may do something itself.
  if (rest[0]?.startsWith('--')) return found;
  return findCommand(found, rest);
}

describe('documents', () => {
  const npmRuns = quoted.flatMap(({ path, line }) => {
    const match = /^(?:[A-Z_]+=\S+ )*npm (?:run (?:-s )?)?([a-z][a-z:-]*)/.exec(line);
    const name = match?.[1];
    return name === undefined || ['ci', 'install', 'run'].includes(name) ? [] : [{ path, name }];
  });
  it('quote npm scripts that exist', () => {
    expect(npmRuns.length).toBeGreaterThan(5);
    expect(npmRuns.filter(({ name }) => scripts[name] === undefined)).toEqual([]);
  });

  const cuzkLines = quoted.flatMap(({ path, line }) => {
    const found = cuzkWords(line);
    return found === null ? [] : [{ path, line, words: found }];
  });
  it('quote commands of cuzk that exist, with options that exist', () => {
    expect(cuzkLines.length).toBeGreaterThan(2);
    const wrong = cuzkLines.filter(({ words: list }) => {
      const command = findCommand(program, list);
      const options = list
        .filter((word) => word.startsWith('--'))
        .map((word) => word.split('=')[0]);
      const known = command?.options.map(({ long }) => long ?? '') ?? [];
      return command === undefined || options.some((option) => !known.includes(option ?? ''));
    });
    expect(wrong.map(({ path, line }) => `${path}: ${line}`)).toEqual([]);
  });

  const examples = documents().flatMap(({ path, text }) =>
    fences(text, 'console').map((block) => {
      const [command = '', ...output] = block.trim().split('\n');
      return { path, command: command.replace(/^\$ /, ''), output: output.join('\n') };
    }),
  );
  const quick = examples.filter(({ command }) => cuzkWords(command) !== null);
  it.each(quick)('$path: `$command` prints what is quoted', async ({ command, output }) => {
    const { stdout, exitCode } = await runCommandLine(cuzkWords(command) ?? []);
    expect({ stdout: stdout.trim(), exitCode }).toEqual({ stdout: output, exitCode: 0 });
  });
  it('have such an example', () => {
    expect(quick.length).toBeGreaterThan(0);
  });
});
