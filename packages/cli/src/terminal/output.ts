import { type Problem, problemLines } from './problem.ts';

/** Where a command speaks: its one result on stdout, everything else on stderr. */
export interface Output {
  readonly json: boolean;
  /** One line of progress, for people. */
  progress(line: string): void;
  /** The result, once: `value` as one JSON object, or `lines` for people. */
  result(value: object, lines: readonly string[]): void;
  /** A failure: the one JSON object on stdout, or lines on stderr. */
  failure(problem: Problem): void;
}

export interface TextSink {
  write(text: string): unknown;
}

/** Output on two sinks; `json` as the command was asked. */
export function createOutput(json: boolean, stdout: TextSink, stderr: TextSink): Output {
  const object = (value: object): void => {
    stdout.write(`${JSON.stringify(value)}\n`);
  };
  return {
    json,
    progress: (line) => {
      stderr.write(`${line}\n`);
    },
    result: (value, lines) => {
      if (json) object(value);
      else stdout.write(`${lines.join('\n')}\n`);
    },
    failure: (problem) => {
      if (json) object(problem);
      else stderr.write(`${problemLines(problem).join('\n')}\n`);
    },
  };
}
