import { createStoreProbe } from '@cuzk/service-kit/artifacts/store-probe';
import { readPresence, type WorkerPresence } from '@cuzk/service-kit/presence/presence';
import type { FastifyInstance } from 'fastify';
import { type Static, Type } from 'typebox';
import type { ApiContext } from '../api-context.ts';

interface Readiness {
  readonly ready: boolean;
  /** Why not, in words; empty when ready. */
  readonly waitingFor: readonly string[];
  /** Parameter files that gpu-workers want and do not have. */
  readonly wantedFiles: readonly string[];
  readonly workers: readonly object[];
  readonly parameters: readonly string[];
}

const NEEDED = ['synth-worker', 'gpu-worker'] as const;

/**
 * Whether a proof that comes in now would be proved: Redis and the store answer, a synth-worker and a gpu-worker are
 * ready. `workers` is null where only this process counts.
 */
function readinessOf(
  workers: readonly WorkerPresence[] | null,
  storeProblem: string | null,
): Readiness {
  const alive = (workers ?? []).filter((worker) => !worker.silent);
  const waitingFor: string[] = storeProblem === null ? [] : [storeProblem];
  for (const role of workers === null ? [] : NEEDED) {
    const own = alive.filter((worker) => worker.role === role);
    if (own.some((worker) => worker.facts.ready)) continue;
    const states = own.map((worker) => `${worker.name}: ${worker.facts.status}`);
    waitingFor.push(states.length === 0 ? `no ${role} is running` : states.join('; '));
  }
  const wanted = alive.flatMap((worker) =>
    worker.facts.ready ? [] : (worker.facts.wantedFiles ?? []),
  );
  const parameters = alive.flatMap((worker) => worker.facts.parameters ?? []);
  return {
    ready: waitingFor.length === 0,
    waitingFor,
    wantedFiles: [...new Set(wanted)],
    workers: alive.map(({ name, role, node, facts }) => ({ name, role, node, ...facts })),
    parameters: [...new Set(parameters)],
  };
}

const ReadyQuery = Type.Object({
  scope: Type.String({
    enum: ['fleet', 'process'],
    default: 'fleet',
    description: 'fleet: a proof can be proved now; process: this process can take a proof in',
  }),
});

/**
 * /healthz: restart this process when it is not 200. /readyz: the fleet can prove, or with scope=process this
 * process can take proofs in. /metrics: Prometheus text.
 */
export function health({ service }: ApiContext) {
  const { redis, liveness, metricsPage } = service;
  const storeProblem = createStoreProbe(service.artifacts, service.identity.name);
  return async function healthRoutes(app: FastifyInstance): Promise<void> {
    app.get('/healthz', { schema: { tags: ['operations'] } }, async (_request, reply) => {
      const { alive, status } = await liveness.check();
      return reply.code(alive ? 200 : 503).send({ status });
    });
    app.get(
      '/readyz',
      { schema: { querystring: ReadyQuery, tags: ['operations'] } },
      async (request, reply) => {
        const { scope } = request.query as Static<typeof ReadyQuery>;
        const workers = await readPresence(redis);
        const problem = await storeProblem();
        const readiness = readinessOf(scope === 'process' ? null : workers, problem);
        return reply.code(readiness.ready ? 200 : 503).send(readiness);
      },
    );
    app.get('/metrics', { schema: { tags: ['operations'] } }, async (request, reply) => {
      const { socket, headers } = request.raw;
      const page = await metricsPage.answer({ address: socket.remoteAddress, headers });
      return reply.code(page.status).type(page.type).send(page.body);
    });
  };
}
