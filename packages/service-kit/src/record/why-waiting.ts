import type { Redis } from 'ioredis';
import { type DispatchStop, readStop } from '../fleet/dispatch-stop.ts';
import { HANDOFF_POOL, poolStatus } from '../permits/permits.ts';
import type { WorkerPresence } from '../presence/presence.ts';
import { BUSY_KEY, SUSPECTS_KEY } from '../redis/keys.ts';
import { positionOf } from './position.ts';
import type { ProofRecord } from './types.ts';

/** What a proof waits for. */
export type WaitedFor =
  | 'synth-worker'
  | 'gpu-worker'
  | 'turn'
  | 'dispatcher'
  | 'dispatch window'
  | 'handoff permit'
  | 'synthesis slot'
  | 'gpu';

/** A proof that has some of what is waited for. */
export interface ResourceHolder {
  readonly proofId: string;
  readonly partitions: number;
}

export interface WaitingReason {
  /** Partitions of all proofs that go before the first waiting one of this; null when none waits. */
  readonly position: number | null;
  /** One sentence, or null when nothing waits. */
  readonly reason: string | null;
  readonly resource: WaitedFor | null;
  /** Who has it, the largest share first; at most five. */
  readonly heldBy: readonly ResourceHolder[];
}

const NOTHING: WaitingReason = { position: null, reason: null, resource: null, heldBy: [] };
const HOLDERS_MAX = 5;
const mib = (bytes: number): string => `${Math.round(bytes / 2 ** 20)} MiB`;

/** Why a proof is not moving: its place in the order, the resource it waits for, and who has that. */
export async function whyWaiting(
  redis: Redis,
  proof: ProofRecord,
  workers: readonly WorkerPresence[],
): Promise<WaitingReason> {
  const alive = workers.filter((worker) => !worker.silent);
  const hasSynth = alive.some((worker) => worker.role === 'synth-worker' && worker.facts.ready);
  const noSynth = { reason: 'No synth-worker is running.', resource: 'synth-worker' } as const;
  if (proof.state === 'received') return hasSynth ? NOTHING : { ...NOTHING, ...noSynth };
  const waiting = proof.partitions.filter((p) =>
    ['pending', 'queued', 'synthesized'].includes(p.state),
  );
  const first = waiting[0];
  if (!first || (proof.state !== 'queued' && proof.state !== 'running')) return NOTHING;
  const position = await positionOf(redis, proof.proofId, first.index);
  if (!hasSynth) return { ...NOTHING, position, ...noSynth };
  const prover = await noProver(redis, proof.circuitId, alive);
  if (prover !== null) return { ...NOTHING, position, reason: prover, resource: 'gpu-worker' };
  if (first.state === 'pending') {
    return { ...NOTHING, position, ...(await dispatchReason(redis, first.index, position)) };
  }
  const heldBy = first.state === 'synthesized' ? await proverHolders(redis) : [];
  const [what, resource] =
    first.state === 'queued'
      ? (['a free synthesis slot', 'synthesis slot'] as const)
      : (['a free GPU', 'gpu'] as const);
  return { position, reason: `Partition ${first.index} waits for ${what}.`, resource, heldBy };
}

/** Why nobody can prove this circuit now, or null when somebody can. */
async function noProver(
  redis: Redis,
  circuitId: string | null,
  alive: readonly WorkerPresence[],
): Promise<string | null> {
  const provers = alive.filter(({ role }) => role === 'gpu-worker');
  const ready = provers.filter(({ facts }) => facts.ready);
  const able = ready.filter(
    ({ facts }) => circuitId !== null && facts.circuits?.includes(circuitId) === true,
  );
  if (able.length > 0) {
    const suspects = await redis.hgetall(SUSPECTS_KEY);
    if (able.some(({ name }) => suspects[name] === undefined)) return null;
    const [one] = able;
    return `Every GPU is quarantined until its self-test passes (${one?.name}: ${suspects[one?.name ?? '']}).`;
  }
  if (ready.length > 0) return 'No gpu-worker has the parameters of this circuit.';
  const [starting] = provers;
  return starting
    ? `The gpu-worker is not ready: ${starting.facts.status}.`
    : 'No gpu-worker is running.';
}

type DispatchReason = Pick<WaitingReason, 'reason' | 'resource' | 'heldBy'>;

async function dispatchReason(
  redis: Redis,
  partition: number,
  position: number | null,
): Promise<DispatchReason> {
  const stop: DispatchStop['outcome'] | null = await readStop(redis);
  const { usedBytes, capBytes, holders } = await poolStatus(redis, HANDOFF_POOL);
  const sorted = [...holders].sort((a, b) => b.bytes - a.bytes);
  const heldBy = sorted
    .slice(0, HOLDERS_MAX)
    .map(({ holder, leases }) => ({ proofId: holder, partitions: leases }));
  const [most] = heldBy;
  const by = most ? `, most of it by ${most.proofId} (${most.partitions} partitions)` : '';
  const say = (resource: WaitedFor, text: string): DispatchReason => ({
    reason: `Partition ${partition} waits for ${text}.`,
    resource,
    heldBy,
  });
  if (stop === 'window') {
    return say('dispatch window', `a place among the partitions that are under way${by}`);
  }
  if (stop === null && heldBy.length === 0) return say('dispatcher', 'a dispatcher: none runs');
  if (stop === 'idle') return say('turn', `its turn: ${position ?? 0} partitions go before`);
  return say(
    'handoff permit',
    `a hand-off permit: ${mib(usedBytes)} of ${mib(capBytes)} are in use${by}`,
  );
}

async function proverHolders(redis: Redis): Promise<ResourceHolder[]> {
  const counts = new Map<string, number>();
  for (const field of Object.keys(await redis.hgetall(BUSY_KEY))) {
    const proofId = /^\S+ (.+):\d+$/.exec(field)?.[1];
    if (proofId !== undefined) counts.set(proofId, (counts.get(proofId) ?? 0) + 1);
  }
  return [...counts]
    .map(([proofId, partitions]) => ({ proofId, partitions }))
    .sort((a, b) => b.partitions - a.partitions)
    .slice(0, HOLDERS_MAX);
}
