import type { Metrics } from '@cuzk/service-kit/metrics';
import type { FastifyInstance } from 'fastify';
import fastifyPlugin from 'fastify-plugin';

/** Time to answer by route pattern, method and status. */
export const requestMetrics = fastifyPlugin(
  async (app: FastifyInstance, { metrics }: { metrics: Metrics }) => {
    app.addHook('onResponse', async (request, reply) => {
      metrics.observeSeconds('cuzk_http_request_duration_seconds', reply.elapsedTime / 1000, {
        route: request.routeOptions.url ?? 'unknown',
        method: request.method,
        status: reply.statusCode,
      });
    });
  },
  { name: 'request-metrics' },
);
