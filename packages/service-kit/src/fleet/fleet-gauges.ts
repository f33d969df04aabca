import type { Service } from '../open-service.ts';
import { HANDOFF_POOL, hostPool, type PoolStatus, poolStatus } from '../permits/permits.ts';
import { ENDED_COUNTS_KEY, LIVE_KEY, PENDING_KEY } from '../redis/keys.ts';

const POOLS = ['cuzk_permit_used_bytes', 'cuzk_permit_cap_bytes'] as const;
const COUNTS = ['cuzk_permit_denied', 'cuzk_permit_reaped'] as const;

/** Gauges of what is shared by the fleet; `isLeader` keeps every value with one reporter. */
export function registerFleetGauges(service: Service, isLeader: () => boolean): void {
  const { metrics, redis, queues, identity } = service;
  const pools = [HANDOFF_POOL, hostPool(identity.node)];
  const readingOf = (name: (typeof POOLS | typeof COUNTS)[number], status: PoolStatus): number => {
    if (name === 'cuzk_permit_used_bytes') return status.usedBytes;
    if (name === 'cuzk_permit_cap_bytes') return status.capBytes;
    return name === 'cuzk_permit_denied' ? status.denied : status.reaped;
  };
  for (const name of [...POOLS, ...COUNTS]) {
    metrics.gauge(name, async (result) => {
      for (const pool of pools) {
        if (pool === HANDOFF_POOL && !isLeader()) continue;
        result.observe(readingOf(name, await poolStatus(redis, pool)), { pool });
      }
    });
  }
  metrics.gauge('cuzk_queue_jobs', async (result) => {
    if (!isLeader()) return;
    for (const { queue, waiting, active, delayed } of await queues.depths()) {
      result.observe(waiting, { queue, state: 'waiting' });
      result.observe(active, { queue, state: 'active' });
      result.observe(delayed, { queue, state: 'delayed' });
    }
  });
  metrics.gauge('cuzk_proofs_live', async (result) => {
    if (isLeader()) result.observe(await redis.zcard(LIVE_KEY));
  });
  metrics.gauge('cuzk_proofs_ended', async (result) => {
    if (!isLeader()) return;
    const counts = await redis.hgetall(ENDED_COUNTS_KEY);
    for (const [state, count] of Object.entries(counts)) result.observe(Number(count), { state });
  });
  metrics.gauge('cuzk_partitions_pending', async (result) => {
    if (isLeader()) result.observe(await redis.zcard(PENDING_KEY));
  });
}

/** Resident memory of this process. */
export function registerMemoryGauge(service: Service): void {
  service.metrics.gauge('cuzk_memory_resident_bytes', (result) =>
    result.observe(process.memoryUsage.rss()),
  );
}
