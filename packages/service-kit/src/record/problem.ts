import { CuzkError } from '@cuzk/core/errors';
import type { Problem } from './types.ts';

/** What a failure says to the outside. An unexpected one keeps its text for the log and shows only a general code. */
export function problemOf(error: unknown): Problem {
  if (error instanceof CuzkError) {
    const { pointer, expected, found, action } = error.facts;
    return {
      code: error.code,
      message: error.message.replace(`[${error.code}] `, ''),
      ...(pointer === undefined ? {} : { pointer }),
      ...(expected === undefined ? {} : { expected }),
      ...(found === undefined ? {} : { found }),
      ...(action === undefined ? {} : { action }),
    };
  }
  return {
    code: 'INTERNAL',
    message: 'An unexpected error; the log of the worker has it in full.',
  };
}

/** Unexpected errors may be a passing fault of one machine: they are tried again within the attempts. */
export const isRetryable = (error: unknown): boolean =>
  error instanceof CuzkError ? error.retryable : true;
