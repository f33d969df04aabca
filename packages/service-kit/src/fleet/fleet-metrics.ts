import type { Metrics, Observe } from '../metrics.ts';
import type { Service } from '../open-service.ts';
import { HANDOFF_POOL, hostPool, type PoolStatus, poolStatus } from '../permits/permits.ts';
import { readPresence, type WorkerPresence } from '../presence/presence.ts';
import { ENDED_STATES } from '../record/types.ts';
import { ENDED_COUNTS_KEY, LIVE_KEY, PENDING_KEY } from '../redis/keys.ts';
import { oldestWaits } from './oldest-waits.ts';

/**
 * Metrics of what is shared by the fleet; `isLeader` keeps every value with one reporter. None while Redis is away: the
 * commands of every scrape would wait for it.
 */
export function registerFleetMetrics(service: Service, isLeader: () => boolean): void {
  const { metrics, redis, queues } = service;
  registerPools(service, isLeader);
  const byLeader = <Name extends Parameters<Metrics['observe']>[0]>(
    name: Name,
    read: (observe: Observe<Name>) => Promise<void>,
  ) =>
    metrics.observe(name, async (observe) => {
      if (isLeader() && redis.status === 'ready') await read(observe);
    });
  byLeader('cuzk_queue_jobs', async (observe) => {
    for (const { queue, waiting, active, delayed } of await queues.depths()) {
      observe(waiting, { queue, state: 'waiting' });
      observe(active, { queue, state: 'active' });
      observe(delayed, { queue, state: 'delayed' });
    }
  });
  byLeader('cuzk_queue_oldest_seconds', async (observe) => {
    for (const [stage, seconds] of await oldestWaits(redis)) observe(seconds, { stage });
  });
  byLeader('cuzk_proofs_live', async (observe) => observe(await redis.zcard(LIVE_KEY), {}));
  byLeader('cuzk_proofs_ended', async (observe) => {
    const counts = await redis.hgetall(ENDED_COUNTS_KEY);
    for (const state of ENDED_STATES) observe(Number(counts[state] ?? 0), { state });
  });
  byLeader('cuzk_partitions_pending', async (observe) =>
    observe(await redis.zcard(PENDING_KEY), {}),
  );
  byLeader('cuzk_workers', async (observe) => {
    const workers = await readPresence(redis);
    for (const role of ['api', 'synth-worker', 'gpu-worker'] as const) {
      for (const state of WORKER_STATES) {
        const own = workers.filter((worker) => worker.role === role && stateOf(worker) === state);
        observe(own.length, { role, state });
      }
    }
  });
}

const WORKER_STATES = ['ready', 'not_ready', 'silent'] as const;

function stateOf({ silent, facts }: WorkerPresence): (typeof WORKER_STATES)[number] {
  if (silent) return 'silent';
  return facts.ready ? 'ready' : 'not_ready';
}

function registerPools({ metrics, redis, identity }: Service, isLeader: () => boolean): void {
  const pools = [HANDOFF_POOL, hostPool(identity.node)];
  const readings = {
    cuzk_permit_used_bytes: (status: PoolStatus) => status.usedBytes,
    cuzk_permit_cap_bytes: (status: PoolStatus) => status.capBytes,
    cuzk_permit_granted: (status: PoolStatus) => status.granted,
    cuzk_permit_denied: (status: PoolStatus) => status.denied,
    cuzk_permit_reaped: (status: PoolStatus) => status.reaped,
  };
  for (const name of Object.keys(readings) as (keyof typeof readings)[]) {
    metrics.observe(name, async (observe) => {
      for (const pool of redis.status === 'ready' ? pools : []) {
        if (pool === HANDOFF_POOL && !isLeader()) continue;
        observe(readings[name](await poolStatus(redis, pool)), { pool });
      }
    });
  }
}
