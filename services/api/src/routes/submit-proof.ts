import type { Readable } from 'node:stream';
import { CuzkError } from '@cuzk/core/errors';
import { isOn } from '@cuzk/service-kit/config/load-config';
import { type CreatedProof, createOrJoinProof } from '@cuzk/service-kit/record/create-proof';
import { beginRequest, type RunningRequest } from '@cuzk/service-kit/record/idempotency';
import { PRIORITIES, PRIORITY_DEFAULT, type Priority } from '@cuzk/service-kit/record/priority';
import { problemOf } from '@cuzk/service-kit/record/problem';
import { newProofId } from '@cuzk/service-kit/record/proof-id';
import { readProof } from '@cuzk/service-kit/record/read-proof';
import type { ProofRecord, ProofSource } from '@cuzk/service-kit/record/types';
import { isCertainlyUndone } from '@cuzk/service-kit/redis/passing-refusal';
import { startAcceptedSpan } from '@cuzk/service-kit/telemetry/accepted-span';
import { setSpanError, traceIdOf, traceparentOf } from '@cuzk/service-kit/telemetry/trace-context';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type Static, Type } from 'typebox';
import type { ApiContext } from '../api-context.ts';
import type { ApiConfig } from '../config.ts';
import { Deadline, deadlineOf } from '../intake/deadline.ts';
import { receiveC1 } from '../intake/receive-c1.ts';
import { DeadlineUnreachable, refuseUnreachable } from '../intake/refuse-unreachable.ts';
import { sendProblem } from '../plugins/problems.ts';
import { linksOf } from '../proof-view.ts';

const Query = Type.Object({
  miner: Type.Optional(Type.String({ description: 'ID address of the miner, such as f01000' })),
  sector: Type.Optional(Type.String({ description: 'Sector number' })),
  priority: Type.String({
    enum: [...PRIORITIES],
    default: PRIORITY_DEFAULT,
    description:
      'Work of a class goes before all work of the classes after it; a live proof that is joined has the more urgent of both',
  }),
  deadline: Type.Optional(Deadline),
  bestEffort: Type.Boolean({
    default: false,
    description: 'Take the proof in even if by the estimate it will not be ready by its deadline',
  }),
});
type Query = Static<typeof Query>;

/** 32 hex digits: what to look for in the collector and in the logs. */
const TRACE_ID_HEADER = 'x-cuzk-trace-id';
/** How long the rest of a refused body is read, so that the client sees the answer. */
const DRAIN_MS = 5_000;

const header = (request: FastifyRequest, name: string): string | undefined => {
  const value = request.headers[name];
  return Array.isArray(value) ? value[0] : value;
};

/** POST /v1/proofs: takes a C1, waits a little for the verdict on it, answers with the id of the proof. */
export function submitProof(context: ApiContext) {
  return async function submitProofRoutes(app: FastifyInstance): Promise<void> {
    // The body goes to the store as a stream; its bytes are counted there (no parser limit holds for streams).
    app.removeAllContentTypeParsers();
    app.addContentTypeParser('*', (_request, payload, done) => done(null, payload));
    app.post(
      '/v1/proofs',
      {
        schema: {
          querystring: Query,
          tags: ['proofs'],
          summary: 'Submit the C1 of a sector',
          description:
            'Body: the C1 JSON, or {SectorNum, Phase1Out, SectorSize}; gzip allowed. Miner and sector in the query, the headers x-cuzk-miner and x-cuzk-sector, or the body.',
        },
      },
      (request, reply) => answer(context, request as FastifyRequest<{ Querystring: Query }>, reply),
    );
  };
}

async function answer(
  context: ApiContext,
  request: FastifyRequest<{ Querystring: Query }>,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { queues, telemetry } = context.service;
  const proofId = newProofId();
  const span = startAcceptedSpan(telemetry.tracer, {
    proofId,
    startMs: Date.now() - reply.elapsedTime,
    method: request.method,
    route: request.routeOptions.url ?? '',
    traceparent: header(request, 'traceparent'),
  });
  const key = header(request, 'idempotency-key');
  let running: RunningRequest | null = null;
  try {
    if (key !== undefined) {
      running = await beginRequest(context.service.redis, request.caller.tenant, key);
    }
    const created = await accept(context, request, proofId, traceparentOf(span));
    span.setAttributes({ 'cuzk.proof': created.proofId, 'cuzk.joined': created.joined });
    await queues.addUnits(created.next);
    await queues.raiseUnits(created.raised);
    // What follows may take minutes: its parent must be known to those who look before that.
    span.end();
    telemetry.flush();
    const proof = await verdictOn(context, created.proofId);
    request.log.info({ proofId: created.proofId, joined: created.joined }, 'proof accepted');
    return reportVerdict(reply, proof, created.joined);
  } catch (thrown) {
    // A body that is not read to its end has this error too, and then another one was thrown.
    const error = thrown === request.raw.errored ? clientGone(thrown) : thrown;
    setSpanError(span, problemOf(error));
    span.end();
    reply.header(TRACE_ID_HEADER, span.spanContext().traceId);
    drain(request);
    reply.header('connection', 'close');
    if (error instanceof DeadlineUnreachable) {
      return sendProblem(reply, problemOf(error), undefined, { estimate: error.estimate });
    }
    throw error;
  } finally {
    await running?.end().catch(() => {}); // Its mark ends by itself.
  }
}

/** Stores the body and writes the record; nothing is left in the store when it is refused or joins another proof. */
async function accept(
  { service, config }: ApiContext,
  request: FastifyRequest<{ Querystring: Query }>,
  proofId: string,
  traceparent: string | null,
): Promise<CreatedProof> {
  const { redis, artifacts } = service;
  const { query } = request;
  const { tenant } = request.caller;
  const deadlineAt = await deadlineOf(redis, query.deadline);
  if (request.body === undefined || request.body === null) throw noBody();
  const received = await receiveC1(
    artifacts,
    proofId,
    {
      body: request.body as Readable,
      contentLength: Number(header(request, 'content-length') ?? Number.NaN) || null,
      contentEncoding: (header(request, 'content-encoding') ?? '').toLowerCase(),
      miner: { query: query.miner, header: header(request, 'x-cuzk-miner') },
      sector: { query: query.sector, header: header(request, 'x-cuzk-sector') },
    },
    config.MAX_BODY_BYTES,
  );
  try {
    const { sectorBytes, ...content } = received;
    const priority = query.priority as Priority;
    if (deadlineAt !== null && sectorBytes !== null && !query.bestEffort) {
      await refuseUnreachable(redis, { sectorBytes, deadlineAt, priority, tenant });
    }
    const created = await createOrJoinProof(redis, {
      proofId,
      kind: 'porep',
      ...content,
      priority,
      deadlineAt,
      tenant,
      traceparent,
      idempotencyKey: header(request, 'idempotency-key') ?? null,
      accepts: acceptedSources(config),
    });
    if (created.joined) await artifacts.delete(received.c1.ref);
    return created;
  } catch (error) {
    // Where the answer was lost the record may stand, and others may join it: its C1 stays, for the sweep if need be.
    if (error instanceof CuzkError || isCertainlyUndone(error)) {
      await artifacts.delete(received.c1.ref);
    }
    throw error;
  }
}

/** What may have made the proofs that are given out here. */
const acceptedSources = (config: ApiConfig): readonly ProofSource[] => [
  'production',
  ...(isOn(config.ALLOW_DEVELOPMENT_PARAMS) ? (['insecure-development'] as const) : []),
  ...(isOn(config.ALLOW_SIMULATED_PROVER) ? (['simulated'] as const) : []),
];

/** Nobody reads the answer; it is for logs, spans and metrics, in which this is no fault of ours. */
const clientGone = (cause: unknown): CuzkError =>
  new CuzkError('REQUEST_INVALID', 'The client went away before the end of its body.', {}, cause);

const noBody = (): CuzkError =>
  new CuzkError('C1_NOT_JSON', 'the request has no body', { expected: 'a C1', found: 'nothing' });

/** The record once ingest has spoken, or as it is when the wait is over. */
async function verdictOn(context: ApiContext, proofId: string): Promise<ProofRecord> {
  const { service, config } = context;
  const end = performance.now() + config.INGEST_WAIT_MS;
  for (;;) {
    let stop: () => void = () => {};
    const changed = new Promise<void>((resolve) => {
      stop = service.notifications.onProof(proofId, resolve);
    });
    try {
      const proof = await readProof(service.redis, proofId);
      if (!proof)
        throw new CuzkError('PROOF_NOT_FOUND', 'The proof vanished while it was accepted.');
      const leftMs = end - performance.now();
      if (proof.state !== 'received' || leftMs <= 0) return proof;
      await Promise.race([changed, pause(leftMs)]);
    } finally {
      stop();
    }
  }
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

function reportVerdict(reply: FastifyReply, proof: ProofRecord, joined: boolean): FastifyReply {
  const { proofId, state, problem, parameters } = proof;
  reply.header('location', `/v1/proofs/${proofId}`);
  // Of a proof that was there before: the trace in which its work is.
  const traceId = traceIdOf(proof.traceparent);
  if (traceId !== null) reply.header(TRACE_ID_HEADER, traceId);
  if (state === 'failed' && problem) return sendProblem(reply, problem, proofId);
  const body = { proofId, state, joined, parameters, links: linksOf(proofId) };
  return reply.code(state === 'succeeded' ? 200 : 202).send(body);
}

/** Reads on for a while without keeping anything; a client that is still sending then loses its connection. */
function drain(request: FastifyRequest): void {
  const { raw } = request;
  if (raw.complete) return;
  raw.unpipe();
  raw.resume();
  const timer = setTimeout(() => raw.destroy(), DRAIN_MS);
  raw.once('close', () => clearTimeout(timer));
  raw.once('end', () => clearTimeout(timer));
}
