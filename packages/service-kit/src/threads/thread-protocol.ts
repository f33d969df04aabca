import { CuzkError, type ErrorCode, type ErrorFacts } from '@cuzk/core/errors';

/** Main to thread: one task. `cancel` becomes 1 when nobody wants its answer any more. */
export interface TaskMessage {
  readonly request: unknown;
  readonly cancel: Int32Array;
}

/** Thread to main: parts of the answer, then its end. */
export type AnswerMessage =
  | { readonly kind: 'part'; readonly value: unknown }
  | { readonly kind: 'done'; readonly value: unknown }
  | { readonly kind: 'failed'; readonly error: WireError };

/** An error as it crosses threads: structured clone would lose the class. */
export interface WireError {
  readonly code: ErrorCode | null;
  readonly message: string;
  readonly facts: ErrorFacts;
  readonly stack: string;
}

export function toWireError(error: unknown): WireError {
  if (error instanceof CuzkError) {
    const { code, facts, stack } = error;
    const message = error.message.replace(`[${code}] `, '');
    return { code, message, facts, stack: stack ?? '' };
  }
  const { message, stack } = error instanceof Error ? error : new Error(String(error));
  return { code: null, message, facts: {}, stack: stack ?? '' };
}

export function fromWireError({ code, message, facts, stack }: WireError): Error {
  const error = code === null ? new Error(message) : new CuzkError(code, message, facts);
  if (stack !== '') error.stack = stack;
  return error;
}
