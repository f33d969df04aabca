import type { Redis } from 'ioredis';
import { readPresence, type WorkerPresence } from '../presence/presence.ts';
import type { PartitionState } from '../record/types.ts';
import { durationsKey } from '../redis/keys.ts';
import { type Demand, type ProofBacklog, percentile } from './autoscale.ts';
import { readLive } from './read-live.ts';

export type ScaledRole = 'synth-worker' | 'gpu-worker';

const OPEN_FOR: Readonly<Record<ScaledRole, readonly PartitionState[]>> = {
  'synth-worker': ['pending', 'queued', 'synthesizing'],
  'gpu-worker': ['pending', 'queued', 'synthesizing', 'synthesized', 'proving'],
};
const RUNS_AS: Readonly<Record<ScaledRole, PartitionState>> = {
  'synth-worker': 'synthesizing',
  'gpu-worker': 'proving',
};
const STAGE_OF = { 'synth-worker': 'synthesize', 'gpu-worker': 'prove' } as const;

/** Reads what the fleet has to do, for `desiredWorkers`. A proof that ingest has not seen counts as one unit. */
export async function readDemand(redis: Redis): Promise<Readonly<Record<ScaledRole, Demand>>> {
  const proofs = await readLive(redis);
  const workers = (await readPresence(redis)).filter(({ silent }) => !silent);
  const circuits = [...new Set(proofs.map(({ circuitId }) => circuitId))];
  const demandOf = async (role: ScaledRole): Promise<Demand> => {
    const seconds = new Map(
      await Promise.all(
        circuits.map(async (id) => [id, await secondsOf(redis, role, id)] as const),
      ),
    );
    const open = OPEN_FOR[role];
    const backlog: ProofBacklog[] = proofs.map(({ createdAt, circuitId, states }) => ({
      createdAt,
      units: states.length === 0 ? 1 : states.filter((state) => open.includes(state)).length,
      secondsPerUnit: seconds.get(circuitId) ?? null,
    }));
    const running = proofs
      .flatMap(({ states }) => states)
      .filter((state) => state === RUNS_AS[role]).length;
    return { backlog, running, unitsPerWorker: unitsPerWorker(workers, role) };
  };
  return {
    'synth-worker': await demandOf('synth-worker'),
    'gpu-worker': await demandOf('gpu-worker'),
  };
}

/** The smallest number of units that a living worker of the role runs at once: asking for too many is the safe side. */
function unitsPerWorker(workers: readonly WorkerPresence[], role: ScaledRole): number {
  const slots = workers.flatMap((worker) =>
    worker.role === role && worker.facts.slots !== undefined ? [worker.facts.slots] : [],
  );
  return slots.length === 0 ? 1 : Math.max(1, Math.min(...slots));
}

/** Seconds a unit takes, from the last ones of this circuit over the whole fleet. */
async function secondsOf(
  redis: Redis,
  role: ScaledRole,
  circuitId: string | null,
): Promise<number | null> {
  if (circuitId === null) return null;
  const recent = await redis.lrange(durationsKey(STAGE_OF[role], circuitId), 0, -1);
  const p95Ms = percentile(recent.map(Number), 0.95);
  return p95Ms === null ? null : p95Ms / 1000;
}
