import { desiredWorkers } from '@cuzk/service-kit/fleet/autoscale';
import { readDemand, type ScaledRole } from '@cuzk/service-kit/fleet/read-demand';
import { redisTimeMs } from '@cuzk/service-kit/redis/redis-time';
import type { FastifyInstance } from 'fastify';
import type { ApiContext } from '../api-context.ts';

const ROLES: readonly ScaledRole[] = ['synth-worker', 'gpu-worker'];

/** How many workers of one role the pending work asks for, and what that was computed from. */
interface RoleScale {
  readonly desired: number;
  /** Units that have not ended, running ones included. */
  readonly pending: number;
  readonly running: number;
  readonly unitsPerWorker: number;
}

/** GET /v1/autoscale: workers that drain the pending work within the horizon, for KEDA and for the metrics. */
export function autoscale({ service, config }: ApiContext) {
  const { redis, metrics } = service;
  const horizonMs = config.DRAIN_HORIZON_MS;
  const scale = async (): Promise<Readonly<Record<ScaledRole, RoleScale>>> => {
    const demand = await readDemand(redis);
    const nowMs = await redisTimeMs(redis);
    const scaleOf = (role: ScaledRole): RoleScale => {
      const { backlog, running, unitsPerWorker } = demand[role];
      const pending = backlog.reduce((sum, { units }) => sum + units, 0);
      const desired = desiredWorkers(demand[role], nowMs, horizonMs);
      return { desired, pending, running, unitsPerWorker };
    };
    return { 'synth-worker': scaleOf('synth-worker'), 'gpu-worker': scaleOf('gpu-worker') };
  };
  metrics.observe('cuzk_autoscale_workers', async (observe) => {
    const scales = await scale();
    for (const role of ROLES) observe(scales[role].desired, { role });
  });
  return async function autoscaleRoutes(app: FastifyInstance): Promise<void> {
    app.get(
      '/v1/autoscale',
      { schema: { tags: ['operations'], summary: 'Workers that drain the pending work in time' } },
      async () => ({ horizonSeconds: horizonMs / 1000, ...(await scale()) }),
    );
  };
}
