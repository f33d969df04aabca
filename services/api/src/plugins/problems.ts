import { CuzkError, ERROR_CODES, type ErrorCode } from '@cuzk/core/errors';
import { problemOf } from '@cuzk/service-kit/record/problem';
import type { Problem } from '@cuzk/service-kit/record/types';
import { isOutOfMemory, isPassingRefusal } from '@cuzk/service-kit/redis/passing-refusal';
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import fastifyPlugin from 'fastify-plugin';

const TYPE_BASE = 'urn:cuzk:error:';
/** When the same request may go well; 5 for every 503. */
const RETRY_AFTER_SECONDS: Readonly<Partial<Record<ErrorCode, number>>> = {
  QUOTA_EXCEEDED: 10,
  IDEMPOTENCY_IN_PROGRESS: 1,
};

/** RFC 9457 with our code and facts. */
export interface ProblemDocument extends Problem {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly detail: string;
  readonly proofId?: string;
}

/** The document for a problem, as bodies of errors and in records. */
export function problemDocument(problem: Problem, proofId?: string): ProblemDocument {
  return {
    type: `${TYPE_BASE}${problem.code}`,
    title: problem.code.toLowerCase().replaceAll('_', ' '),
    status: ERROR_CODES[problem.code].status,
    detail: problem.message,
    ...problem,
    ...(proofId === undefined ? {} : { proofId }),
  };
}

/** Answers with a problem document. */
export function sendProblem(
  reply: FastifyReply,
  problem: Problem,
  proofId?: string,
  more: object = {},
): FastifyReply {
  const document = { ...problemDocument(problem, proofId), ...more };
  const retryAfter = RETRY_AFTER_SECONDS[problem.code] ?? (document.status === 503 ? 5 : null);
  if (retryAfter !== null) reply.header('retry-after', retryAfter);
  return reply
    .code(document.status)
    .type('application/problem+json')
    .send(JSON.stringify(document));
}

/** Errors of Fastify itself (schema, unknown media type) and of Redis in the words of our table. */
function ownError(error: FastifyError | CuzkError | Error): unknown {
  if (error instanceof CuzkError) return error;
  if (isRedisAway(error) || (isPassingRefusal(error) && !isOutOfMemory(error))) {
    return new CuzkError('REDIS_UNAVAILABLE', 'The queue does not answer; try again.', {}, error);
  }
  if (isOutOfMemory(error)) {
    return new CuzkError('CAPACITY_EXHAUSTED', 'Redis is at its memory limit.', {}, error);
  }
  const { statusCode, validation } = error as FastifyError;
  if (statusCode === 413)
    return new CuzkError('BODY_TOO_LARGE', 'The body is too large.', {}, error);
  if (statusCode === undefined || statusCode >= 500) return error;
  const at = validation?.[0]?.instancePath;
  const facts = at ? { pointer: at, found: error.message.slice(0, 200) } : {};
  return new CuzkError('REQUEST_INVALID', error.message.slice(0, 200), facts, error);
}

const isRedisAway = (error: Error): boolean =>
  error.name === 'MaxRetriesPerRequestError' ||
  /Stream isn't writeable|Connection is closed|Command timed out|max retries per request/.test(
    error.message,
  );

/** Answers with what an error means; the one place that does. */
export function answerError(
  error: FastifyError,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  const problem = problemOf(ownError(error));
  const fault = ERROR_CODES[problem.code].status >= 500;
  request.log[fault ? 'error' : 'info']({ err: error, code: problem.code }, 'request refused');
  return sendProblem(reply, problem);
}

/** Errors of all routes as problem documents. */
export const problems = fastifyPlugin(
  async (app: FastifyInstance) => {
    app.setErrorHandler(answerError);
    app.setNotFoundHandler((request, reply) =>
      reply
        .code(404)
        .type('application/problem+json')
        .send(
          JSON.stringify({
            type: 'about:blank',
            title: 'not found',
            status: 404,
            detail: `no ${request.method} ${request.url.split('?')[0]}`,
          }),
        ),
    );
  },
  { name: 'problems' },
);
