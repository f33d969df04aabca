import { isOn } from '@cuzk/service-kit/config/load-config';
import { paramsFoldersOf } from '@cuzk/service-kit/config/parameter-settings';
import { registerProcessMetrics } from '@cuzk/service-kit/memory/memory-metrics';
import { openService } from '@cuzk/service-kit/open-service';
import type { RunningService } from '@cuzk/service-kit/run-service';
import { openVerifier } from '@cuzk/service-kit/threads/open-verifier';
import { buildApp } from './build-app.ts';
import type { ApiConfig } from './config.ts';
import { readTenants } from './tenants/tenants-file.ts';

export interface RunningApi extends RunningService {
  readonly url: string;
}

/** Connects and listens. */
export async function startApi(config: ApiConfig): Promise<RunningApi> {
  const callers = config.TENANTS_FILE === '' ? null : readTenants(config.TENANTS_FILE);
  const service = await openService('api', config, 'prompt');
  const { logger, presence } = service;
  const verifier = openVerifier();
  registerProcessMetrics(service);
  const folders = paramsFoldersOf(config);
  const app = await buildApp({ service, config, verifier, folders, callers });
  const url = await app.listen({ host: config.HOST, port: config.PORT });
  await presence.publish({ ready: true, status: `listening on ${url}` });
  if (isOn(config.ALLOW_DEVELOPMENT_PARAMS)) {
    logger.warn('development parameters are allowed: proofs are worthless as security');
  }
  logger.info({ url }, 'ready');
  return {
    logger,
    url,
    stop: async () => {
      await app.close(); // Held calls are finished first.
      await verifier.close();
      await service.close();
    },
  };
}
