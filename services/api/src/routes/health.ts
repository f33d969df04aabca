import { readPresence, type WorkerPresence } from '@cuzk/service-kit/presence/presence';
import type { FastifyInstance } from 'fastify';
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

/** Whether a proof that comes in now would be proved: Redis, a synth-worker and a gpu-worker are ready. */
function readinessOf(workers: readonly WorkerPresence[]): Readiness {
  const alive = workers.filter((worker) => !worker.silent);
  const waitingFor: string[] = [];
  for (const role of ['synth-worker', 'gpu-worker'] as const) {
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

/** /healthz: this process lives. /readyz: the service can prove. /metrics: Prometheus text. */
export function health({ service }: ApiContext) {
  return async function healthRoutes(app: FastifyInstance): Promise<void> {
    app.get('/healthz', { schema: { tags: ['operations'] } }, async () => ({ status: 'ok' }));
    app.get('/readyz', { schema: { tags: ['operations'] } }, async (_request, reply) => {
      const readiness = readinessOf(await readPresence(service.redis));
      return reply.code(readiness.ready ? 200 : 503).send(readiness);
    });
    app.get('/metrics', { schema: { tags: ['operations'] } }, async (_request, reply) =>
      reply.type('text/plain; version=0.0.4').send(await service.metrics.text()),
    );
  };
}
