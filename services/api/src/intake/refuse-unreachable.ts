import { CuzkError } from '@cuzk/core/errors';
import { circuitId } from '@cuzk/core/porep/circuit-id';
import { sectorShape } from '@cuzk/core/porep/sector';
import { readEstimate } from '@cuzk/service-kit/fleet/read-estimate';
import { classOf, type Priority } from '@cuzk/service-kit/record/priority';
import type { Tenant } from '@cuzk/service-kit/record/tenant';
import type { Redis } from '@cuzk/service-kit/redis/connection';
import { redisTimeMs } from '@cuzk/service-kit/redis/redis-time';
import { type EstimateView, estimateView } from '../proof-view.ts';

/** The deadline lies before the estimate; carries the estimate for the answer. */
export class DeadlineUnreachable extends CuzkError {
  readonly estimate: EstimateView;

  constructor(deadlineAt: number, estimate: EstimateView) {
    super('DEADLINE_UNREACHABLE', 'The proof would be ready after its deadline.', {
      pointer: '/deadline',
      expected: `a deadline after ${estimate.p50} (in 95 of 100 cases after ${estimate.p95})`,
      found: new Date(deadlineAt).toISOString(),
      action: 'Ask for a later deadline, or send bestEffort=true.',
    });
    this.estimate = estimate;
  }
}

/**
 * Refuses a proof that by the estimate is more likely to miss its deadline than to keep it. Without an estimate
 * (nothing measured yet, no worker there) nothing is refused. Throws DEADLINE_UNREACHABLE.
 */
export async function refuseUnreachable(
  redis: Redis,
  asked: {
    readonly sectorBytes: number;
    readonly deadlineAt: number;
    readonly priority: Priority;
    readonly tenant: Tenant;
  },
): Promise<void> {
  const shape = sectorShape(asked.sectorBytes);
  const estimate = await readEstimate(redis, {
    proofId: null,
    circuitId: circuitId(shape),
    priorityClass: classOf(asked.priority),
    tenant: asked.tenant.name,
    deadlineAt: asked.deadlineAt,
    sequence: Number.POSITIVE_INFINITY,
    states: Array.from({ length: shape.partitions }, () => 'pending' as const),
  });
  if (estimate === null) return;
  const nowMs = await redisTimeMs(redis);
  if (nowMs + estimate.p50Seconds * 1000 <= asked.deadlineAt) return;
  throw new DeadlineUnreachable(asked.deadlineAt, estimateView(estimate, nowMs));
}
