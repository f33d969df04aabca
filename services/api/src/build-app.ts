import helmet from '@fastify/helmet';
import swagger from '@fastify/swagger';
import swaggerUi from '@fastify/swagger-ui';
import { type FastifyBaseLogger, type FastifyInstance, fastify, LogController } from 'fastify';
import type { ApiContext } from './api-context.ts';
import { authentication } from './plugins/authentication.ts';
import { page } from './plugins/page.ts';
import { answerError, problems } from './plugins/problems.ts';
import { requestMetrics } from './plugins/request-metrics.ts';
import { stopLimit } from './plugins/stop-limit.ts';
import { autoscale } from './routes/autoscale.ts';
import { chaos } from './routes/chaos.ts';
import { health } from './routes/health.ts';
import { proofEvents } from './routes/proof-events.ts';
import { readProofs } from './routes/read-proofs.ts';
import { retryRoute } from './routes/retry-proof.ts';
import { status } from './routes/status.ts';
import { submitProof } from './routes/submit-proof.ts';
import { verification } from './routes/verification.ts';
import { verifyProof } from './routes/verify-proof.ts';

/** A submission of 51 MB over a slow line takes minutes; a silent one does not. */
const REQUEST_TIMEOUT_MS = 15 * 60_000;

/** Bodies of all routes but submissions, which are streamed and counted on their own. */
const SMALL_BODY_BYTES = 256 * 1024;

/** Ids are shorter; what is not one is answered by the route. */
const PARAM_LENGTH_MAX = 1024;

/** The HTTP application, not yet listening. */
export async function buildApp(context: ApiContext): Promise<FastifyInstance> {
  const app = fastify({
    loggerInstance: context.service.logger as FastifyBaseLogger,
    logController: new LogController({ disableRequestLogging: true }),
    bodyLimit: SMALL_BODY_BYTES,
    frameworkErrors: (error, request, reply) => answerError(error, request, reply),
    routerOptions: { maxParamLength: PARAM_LENGTH_MAX },
    requestTimeout: REQUEST_TIMEOUT_MS,
    forceCloseConnections: 'idle',
    ajv: {
      customOptions: {
        coerceTypes: true,
        removeAdditional: false,
        allErrors: false,
        allowUnionTypes: true,
      },
    },
  });
  await app.register(helmet, { contentSecurityPolicy: { directives: SWAGGER_UI_POLICY } });
  await app.register(swagger, {
    openapi: {
      info: {
        title: 'cuzk-cluster',
        description: 'Groth16 proofs of Filecoin seals',
        version: '1',
      },
    },
  });
  await app.register(swaggerUi, { routePrefix: '/docs' });
  await app.register(problems);
  await app.register(stopLimit);
  await app.register(requestMetrics, { metrics: context.service.metrics });
  await app.register(authentication, { callers: context.callers });
  await app.register(submitProof(context));
  await app.register(retryRoute(context));
  await app.register(readProofs(context));
  await app.register(proofEvents(context));
  await app.register(verifyProof(context));
  await app.register(health(context));
  await app.register(autoscale(context));
  await app.register(status(context));
  await app.register(verification(context));
  await app.register(chaos(context));
  await app.register(page);
  return app;
}

/** What the pages under /docs need. */
const SWAGGER_UI_POLICY = {
  'script-src': ["'self'"],
  'style-src': ["'self'", "'unsafe-inline'"],
  'img-src': ["'self'", 'data:'],
  'upgrade-insecure-requests': null,
};
