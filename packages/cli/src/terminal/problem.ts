import { CuzkError, type ErrorCode } from '@cuzk/core/errors';

/** An error as people and programs read it: the members of the API's problem object. */
export interface Problem {
  readonly code: ErrorCode;
  readonly message: string;
  readonly expected?: string;
  readonly found?: string;
  readonly pointer?: string;
  readonly action?: string;
}

/** What to report for anything thrown. Only a CuzkError has facts; the rest is INTERNAL, a bug of ours. */
export function problemOf(error: unknown): Problem {
  if (error instanceof CuzkError) {
    const message = error.message.replace(`[${error.code}] `, '');
    return { code: error.code, message, ...error.facts };
  }
  return { code: 'INTERNAL', message: error instanceof Error ? error.message : String(error) };
}

/** The same as lines for a terminal. */
export function problemLines(problem: Problem): string[] {
  const { code, message, ...facts } = problem;
  return [
    `${message} [${code}]`,
    ...Object.entries(facts).map(([name, value]) => `  ${name}: ${value}`),
  ];
}
