import { CuzkError } from '@cuzk/core/errors';
import { isOn } from '@cuzk/service-kit/config/load-config';
import { readEstimateOf } from '@cuzk/service-kit/fleet/read-estimate';
import { readPresence } from '@cuzk/service-kit/presence/presence';
import { listProofs } from '@cuzk/service-kit/record/list-proofs';
import { cancelRun } from '@cuzk/service-kit/record/run-control';
import { ENDED_STATES, LIVE_STATES, type RunState } from '@cuzk/service-kit/record/types';
import { whyWaiting } from '@cuzk/service-kit/record/why-waiting';
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { type ApiContext, requireProof } from '../api-context.ts';
import { sendProblem } from '../plugins/problems.ts';
import { proofView, summaryView } from '../proof-view.ts';
import { resultBytes } from '../result-bytes.ts';
import { simulated } from './simulated.ts';

const LIMIT_MAX = 200;

const ListQuery = Type.Object({
  limit: Type.Integer({ minimum: 1, maximum: LIMIT_MAX, default: 50 }),
  before: Type.Optional(Type.String({ description: '`next` of the page before' })),
  state: Type.Optional(Type.String({ enum: [...LIVE_STATES, ...ENDED_STATES] })),
});
const Params = Type.Object({ id: Type.String({ description: 'Proof id' }) });

/** Everything under /v1/proofs that reads or cancels. */
export function readProofs(context: ApiContext) {
  const { redis } = context.service;
  return async function readProofsRoutes(plain: FastifyInstance): Promise<void> {
    const app = plain.withTypeProvider<TypeBoxTypeProvider>();
    app.get(
      '/v1/proofs',
      { schema: { querystring: ListQuery, tags: ['proofs'], summary: 'Proofs, newest first' } },
      async (request) => {
        const { limit, before, state } = request.query;
        const page = await listProofs(redis, {
          limit,
          ...(before === undefined ? {} : { before }),
          ...(state === undefined ? {} : { state: state as RunState }),
          ...(request.caller.operator ? {} : { tenant: request.caller.tenant.name }),
        });
        return { proofs: page.proofs.map(summaryView), next: page.next };
      },
    );
    app.get(
      '/v1/proofs/:id',
      {
        schema: {
          params: Params,
          tags: ['proofs'],
          summary: 'One proof: state, partitions, why it waits',
        },
      },
      async (request) => {
        const proof = await requireProof(context, request.params.id, request.caller);
        const waiting = await whyWaiting(redis, proof, await readPresence(redis));
        return proofView(proof, waiting, await readEstimateOf(redis, proof));
      },
    );
    app.get(
      '/v1/proofs/:id/result',
      {
        schema: {
          params: Params,
          tags: ['proofs'],
          summary: 'The proof: JSON, or 192 bytes a partition',
        },
      },
      (request, reply) => sendResult(context, request.params.id, request, reply),
    );
    app.delete(
      '/v1/proofs/:id',
      { schema: { params: Params, tags: ['proofs'], summary: 'Cancel' } },
      async (request, reply) => {
        const { proofId } = await requireProof(context, request.params.id, request.caller);
        const { state, changed } = await cancelRun(redis, proofId, 'cancelled');
        if (changed || state === 'cancelling' || state === 'cancelled') {
          return reply.code(202).send({ proofId, state });
        }
        throw new CuzkError('CANCELLED', 'The proof has ended and cannot be cancelled.', {
          expected: 'a proof that has not ended',
          found: String(state),
        });
      },
    );
  };
}

const insecure = (): CuzkError =>
  new CuzkError('PARAMS_INSECURE', 'This proof was made with development parameters.', {
    expected: 'production parameters',
    found: 'insecure-development',
    action: 'Submit the C1 again: another proof is made of it.',
  });

async function sendResult(
  context: ApiContext,
  id: string,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const proof = await requireProof(context, id, request.caller);
  const { proofId, state, parameters, problem } = proof;
  if (proof.endedAt !== null && problem) return sendProblem(reply, problem, proofId);
  if (parameters === 'simulated') throw simulated();
  if (parameters === 'insecure-development' && !isOn(context.config.ALLOW_DEVELOPMENT_PARAMS)) {
    throw insecure();
  }
  if (!proof.result) {
    const ended = proof.endedAt !== null;
    throw new CuzkError('PROOF_NOT_READY', ended ? 'The run has no result.' : 'Not ready yet.', {
      expected: 'succeeded',
      found: state,
    });
  }
  const bytes = Buffer.from(await resultBytes(context.service, proof, proof.result));
  if (parameters) reply.header('x-cuzk-parameters', parameters);
  if ((request.headers.accept ?? '').includes('application/octet-stream')) {
    return reply.type('application/octet-stream').send(bytes);
  }
  return reply.send({
    proofId,
    parameters,
    partitions: proof.partitions.length,
    sha256: proof.result.sha256,
    proof: bytes.toString('base64'),
  });
}
