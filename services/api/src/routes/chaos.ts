import { CuzkError } from '@cuzk/core/errors';
import { killWorker } from '@cuzk/service-kit/chaos';
import { isOn } from '@cuzk/service-kit/config/load-config';
import { readPresence } from '@cuzk/service-kit/presence/presence';
import type { FastifyInstance } from 'fastify';
import { type Static, Type } from 'typebox';
import type { ApiContext } from '../api-context.ts';

const Body = Type.Object({
  worker: Type.String({ maxLength: 256, description: 'Name of a worker in /v1/status' }),
});
type Body = Static<typeof Body>;

/** POST /v1/chaos: kills a worker like a crash would. There only where CHAOS=1. */
export function chaos({ service, config }: ApiContext) {
  return async function chaosRoutes(app: FastifyInstance): Promise<void> {
    if (!isOn(config.CHAOS)) return;
    app.post<{ Body: Body }>(
      '/v1/chaos',
      { schema: { body: Body, tags: ['operations'], summary: 'Kill a worker (demo only)' } },
      async ({ body, log }, reply) => {
        const workers = await readPresence(service.redis);
        const alive = workers.some(
          ({ name, role, silent }) => name === body.worker && role !== 'api' && !silent,
        );
        if (!alive || !(await killWorker(service.redis, body.worker))) {
          throw new CuzkError('REQUEST_INVALID', 'no such worker listens', {
            pointer: '/worker',
            expected: 'the name of a living worker that was started with CHAOS=1',
            found: body.worker.slice(0, 128),
          });
        }
        log.warn({ worker: body.worker }, 'worker killed on request');
        return reply.code(202).send({ worker: body.worker });
      },
    );
  };
}
