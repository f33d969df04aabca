import type { Redis } from 'ioredis';
import { HANDOFF_POOL, poolStatus } from '../permits/permits.ts';
import type { WorkerPresence } from '../presence/presence.ts';
import { PENDING_KEY, proofKey } from '../redis/keys.ts';
import type { ProofRecord } from './types.ts';

export interface WaitingReason {
  /** Partitions of all proofs that go before the first waiting one of this; null when none waits. */
  readonly position: number | null;
  /** One sentence, or null when nothing waits. */
  readonly reason: string | null;
}

const NOTHING: WaitingReason = { position: null, reason: null };
const mib = (bytes: number): string => `${Math.round(bytes / 2 ** 20)} MiB`;

/** Why a proof is not moving: its place in the order, and the resource it waits for. */
export async function whyWaiting(
  redis: Redis,
  proof: ProofRecord,
  workers: readonly WorkerPresence[],
): Promise<WaitingReason> {
  const alive = workers.filter((worker) => !worker.silent);
  const hasSynth = alive.some((worker) => worker.role === 'synth-worker' && worker.facts.ready);
  if (proof.state === 'received') {
    return { position: null, reason: hasSynth ? null : 'No synth-worker is running.' };
  }
  const waiting = proof.partitions.filter((p) =>
    ['pending', 'queued', 'synthesized'].includes(p.state),
  );
  const first = waiting[0];
  if (!first || (proof.state !== 'queued' && proof.state !== 'running')) return NOTHING;
  const position = await positionOf(redis, proof.proofId, first.index);
  if (!hasSynth) return { position, reason: 'No synth-worker is running.' };
  const { circuitId } = proof;
  const able = alive.filter((w) => w.role === 'gpu-worker' && w.facts.ready);
  if (!able.some((w) => circuitId !== null && w.facts.circuits?.includes(circuitId))) {
    return { position, reason: noProver(alive, able.length) };
  }
  if (first.state !== 'pending') {
    const what = first.state === 'queued' ? 'a free synthesis slot' : 'a free GPU';
    return { position, reason: `Partition ${first.index} waits for ${what}.` };
  }
  return { position, reason: await handoffReason(redis, first.index) };
}

function noProver(alive: readonly WorkerPresence[], ready: number): string {
  if (ready > 0) return 'No gpu-worker has the parameters of this circuit.';
  const starting = alive.find((worker) => worker.role === 'gpu-worker');
  return starting
    ? `The gpu-worker is not ready: ${starting.facts.status}.`
    : 'No gpu-worker is running.';
}

async function handoffReason(redis: Redis, partition: number): Promise<string> {
  const { usedBytes, capBytes, holders } = await poolStatus(redis, HANDOFF_POOL);
  const most = [...holders].sort((a, b) => b.bytes - a.bytes)[0];
  const by = most ? `, most of it by ${most.holder} (${most.leases} partitions)` : '';
  return `Partition ${partition} waits for a hand-off permit: ${mib(usedBytes)} of ${mib(capBytes)} are in use${by}.`;
}

async function positionOf(redis: Redis, proofId: string, k: number): Promise<number | null> {
  const [member, priority] = await redis.hmget(proofKey(proofId), `p${k}.pending`, 'priority');
  return member === null || member === undefined
    ? null
    : redis.zrank(PENDING_KEY, `${priority}:${member}`);
}
