import type { Service } from '@cuzk/service-kit/open-service';
import {
  HANDOFF_POOL,
  hostPool,
  type PoolStatus,
  poolStatus,
} from '@cuzk/service-kit/permits/permits';
import { readPresence, type WorkerPresence } from '@cuzk/service-kit/presence/presence';
import type { QueueDepth } from '@cuzk/service-kit/queues/queues';
import { readProof } from '@cuzk/service-kit/record/read-proof';
import type { ProofRecord } from '@cuzk/service-kit/record/types';
import { type WaitingReason, whyWaiting } from '@cuzk/service-kit/record/why-waiting';
import {
  ENDED_COUNTS_KEY,
  ENDED_KEY,
  LIVE_KEY,
  PENDING_KEY,
  proofKey,
} from '@cuzk/service-kit/redis/keys';
import { redisTimeMs } from '@cuzk/service-kit/redis/redis-time';

/** Proofs that are looked at, oldest first; the rest is only counted. */
const PROOFS_MAX = 100;
/** Ended proofs stay in the status for this long, as in cuzk. */
const ENDED_KEPT_MS = 30_000;
/** A record that changed this lately is read again: two changes may bear the same millisecond. */
const FRESH_MS = 2_000;

/** A proof with the reason why it waits. */
export interface ListedProof {
  readonly record: ProofRecord;
  readonly waiting: WaitingReason;
}

/** Everything that the status is made of, read at one time. */
export interface FleetReading {
  readonly proofs: readonly ListedProof[];
  readonly liveProofs: number;
  /** Partitions that wait for dispatch. */
  readonly pendingPartitions: number;
  readonly workers: readonly WorkerPresence[];
  readonly queues: readonly QueueDepth[];
  readonly pools: readonly PoolStatus[];
  /** Runs that have ended, by state. */
  readonly ended: Readonly<Record<string, number>>;
}

/** Reads the fleet again and again; records that did not change are not fetched twice. */
export class FleetReader {
  readonly #service: Service;
  #skewMs = 0;
  #known = new Map<string, { readonly updatedAt: string; readonly record: ProofRecord }>();

  constructor(service: Service) {
    this.#service = service;
  }

  /** What the clock of Redis, which all times are by, was ahead of that of this process at the last reading. */
  get skewMs(): number {
    return this.#skewMs;
  }

  async read(): Promise<FleetReading> {
    const { redis, queues } = this.#service;
    const [workers, depths, liveProofs, pendingPartitions, ended, records] = await Promise.all([
      readPresence(redis),
      queues.depths(),
      redis.zcard(LIVE_KEY),
      redis.zcard(PENDING_KEY),
      redis.hgetall(ENDED_COUNTS_KEY),
      this.#records(),
    ]);
    const nodes = new Set(
      workers.filter(({ role }) => role === 'synth-worker').map(({ node }) => node),
    );
    const pools = [HANDOFF_POOL, ...[...nodes].sort().map(hostPool)];
    const list = async (record: ProofRecord): Promise<ListedProof> => ({
      record,
      waiting: await whyWaiting(redis, record, workers),
    });
    return {
      proofs: await Promise.all(records.map(list)),
      liveProofs,
      pendingPartitions,
      workers,
      queues: depths,
      pools: await Promise.all(pools.map((pool) => poolStatus(redis, pool))),
      ended: Object.fromEntries(Object.entries(ended).map(([state, n]) => [state, Number(n)])),
    };
  }

  async #records(): Promise<ProofRecord[]> {
    const { redis } = this.#service;
    const now = await redisTimeMs(redis);
    this.#skewMs = now - Date.now();
    const live = await redis.zrange(LIVE_KEY, '0', String(PROOFS_MAX - 1));
    const ended = await redis.zrevrangebyscore(
      ENDED_KEY,
      '+inf',
      now - ENDED_KEPT_MS,
      'LIMIT',
      '0',
      String(PROOFS_MAX),
    );
    const ids = [...new Set([...live, ...ended])];
    const changes = redis.pipeline();
    for (const id of ids) changes.hget(proofKey(id), 'updatedAt');
    const answers = (await changes.exec()) ?? [];
    const known = new Map<string, { updatedAt: string; record: ProofRecord }>();
    await Promise.all(
      ids.map(async (id, i) => {
        const updatedAt = String(answers[i]?.[1] ?? '');
        const before = this.#known.get(id);
        const same = before?.updatedAt === updatedAt && now - Number(updatedAt) > FRESH_MS;
        const record = same ? before.record : await readProof(redis, id);
        if (record !== null) known.set(id, { updatedAt, record });
      }),
    );
    this.#known = known;
    return [...known.values()].map(({ record }) => record).sort((a, b) => a.sequence - b.sequence);
  }
}
