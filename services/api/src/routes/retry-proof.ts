import { CuzkError } from '@cuzk/core/errors';
import { retryProof } from '@cuzk/service-kit/record/retry';
import { NO_TENANT, type Tenant } from '@cuzk/service-kit/record/tenant';
import type { FastifyInstance } from 'fastify';
import { type Static, Type } from 'typebox';
import { type ApiContext, requireProof } from '../api-context.ts';
import { Deadline, deadlineOf } from '../intake/deadline.ts';
import { linksOf } from '../proof-view.ts';

const Params = Type.Object({ id: Type.String({ description: 'Proof id' }) });
const Query = Type.Object({ deadline: Type.Optional(Deadline) });

/** POST /v1/proofs/:id/retry: a new run of a failed or expired proof, which keeps its verified partition proofs. */
export function retryRoute(context: ApiContext) {
  const { redis, queues, artifacts } = context.service;
  return async function retryRoutes(app: FastifyInstance): Promise<void> {
    app.post<{ Params: Static<typeof Params>; Querystring: Static<typeof Query> }>(
      '/v1/proofs/:id/retry',
      {
        schema: {
          params: Params,
          querystring: Query,
          tags: ['proofs'],
          summary: 'Another run of a failed or expired proof; proved partitions are kept',
        },
      },
      async (request, reply) => {
        const proof = await requireProof(context, request.params.id, request.caller);
        const { proofId, c1 } = proof;
        const deadlineAt = await deadlineOf(redis, request.query.deadline);
        if (proof.endedAt !== null && (await artifacts.stat(c1.ref)) === null) throw c1Gone();
        const { run, reused, next } = await retryProof(
          redis,
          proofId,
          deadlineAt,
          ownerOf(context, proof.tenant),
        );
        await queues.addUnits(next);
        request.log.info({ proofId, run, reused }, 'another run');
        return reply
          .code(202)
          .send({ proofId, run, reusedPartitions: reused, links: linksOf(proofId) });
      },
    );
  };
}

/** Whose proof it is, with weight and limit of today; a tenant that is gone from the file has neither. */
const ownerOf = ({ callers }: ApiContext, name: string): Tenant =>
  [...(callers?.values() ?? [])].find(({ tenant }) => tenant.name === name)?.tenant ?? NO_TENANT;

const c1Gone = (): CuzkError =>
  new CuzkError('RETRY_REFUSED', 'The C1 of this proof is no longer stored.', {
    expected: 'a C1 within its retention',
    found: 'nothing',
    action: 'Submit the C1 again.',
  });
