import {
  isEventId,
  type ProofEvent,
  readAllEvents,
  readEvents,
} from '@cuzk/service-kit/record/read-events';
import { ENDED_STATES } from '@cuzk/service-kit/record/types';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type ApiContext, requireProof } from '../api-context.ts';

/** A comment line this often, so that proxies keep the connection. */
const HEARTBEAT_MS = 15_000;

const ended = ({ type, data }: ProofEvent): boolean =>
  type === 'state' && ENDED_STATES.some((state) => state === data.state);

const frame = ({ id, at, type, data }: ProofEvent): string =>
  `id: ${id}\nevent: ${type}\ndata: ${JSON.stringify({ at, ...data })}\n\n`;

/** GET /v1/proofs/:id/events: server-sent events of one proof, resumable by Last-Event-ID on any replica. */
export function proofEvents(context: ApiContext) {
  return async function proofEventsRoutes(app: FastifyInstance): Promise<void> {
    // A process that stops does not wait for runs to end: readers go on elsewhere after the last id.
    const open = new Set<FastifyReply['raw']>();
    app.addHook('preClose', async () => {
      for (const raw of open) raw.destroy();
    });
    app.get<{ Params: { id: string } }>(
      '/v1/proofs/:id/events',
      {
        exposeHeadRoute: false, // Its answer would have no end.
        schema: {
          tags: ['proofs'],
          summary:
            'Events as they happen (SSE), until the run ends; 204 after the last one; as JSON those so far',
        },
      },
      (request, reply) =>
        wantsJson(request) ? list(context, request, reply) : stream(context, request, reply, open),
    );
  };
}

const wantsJson = ({ headers }: FastifyRequest): boolean =>
  (headers.accept ?? '').includes('application/json');

/** The events so far, for those who ask for JSON. */
async function list(
  context: ApiContext,
  request: FastifyRequest<{ Params: { id: string } }>,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { proofId } = await requireProof(context, request.params.id, request.caller);
  return reply.send({ proofId, events: await readAllEvents(context.service.redis, proofId) });
}

async function stream(
  context: ApiContext,
  request: FastifyRequest<{ Params: { id: string } }>,
  reply: FastifyReply,
  open: Set<FastifyReply['raw']>,
): Promise<FastifyReply | undefined> {
  const { redis } = context.service;
  const proof = await requireProof(context, request.params.id, request.caller);
  const { proofId, parameters, endedAt } = proof;
  const last = request.headers['last-event-id'];
  let after = typeof last === 'string' && isEventId(last) ? last : null;
  // Whoever has had the end and comes back, as EventSource does, is told by this to stay away.
  const hadAll = endedAt !== null && after !== null;
  if (hadAll && (await readEvents(redis, proofId, after, 1)).length === 0) {
    return reply.code(204).send();
  }
  reply.hijack();
  const { raw } = reply;
  if (raw.destroyed) return; // The reader went away meanwhile: nothing will say so again.
  raw.writeHead(200, {
    'content-type': 'text/event-stream',
    'cache-control': 'no-store',
    'x-accel-buffering': 'no',
    ...(parameters ? { 'x-cuzk-parameters': parameters } : {}),
  });
  open.add(raw);
  let closed = false;
  let wake: () => void = () => {};
  raw.on('close', () => {
    closed = true;
    wake();
  });
  const stop = context.service.notifications.onProof(proofId, () => wake());
  try {
    while (!closed) {
      const changed = new Promise<void>((resolve) => {
        wake = resolve;
      });
      const events = await readEvents(redis, proofId, after);
      for (const event of events) raw.write(frame(event));
      after = events.at(-1)?.id ?? after;
      const last = events.at(-1);
      if (last !== undefined && ended(last)) break; // An end with more after it was that of an earlier run.
      if (events.length > 0) continue;
      if (!(await within(changed, HEARTBEAT_MS))) raw.write(': still here\n\n');
    }
  } catch (error) {
    request.log.warn({ err: error, proofId }, 'event stream broken off');
  } finally {
    stop();
    open.delete(raw);
    raw.end();
  }
}

async function within(promise: Promise<void>, ms: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<false>((resolve) => {
    timer = setTimeout(() => resolve(false), ms);
  });
  try {
    return await Promise.race([promise.then(() => true), late]);
  } finally {
    clearTimeout(timer);
  }
}
