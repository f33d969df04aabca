import type { Redis } from 'ioredis';
import type { PartitionState } from '../record/types.ts';
import { LIVE_KEY, proofKey } from '../redis/keys.ts';

/** Records are read in groups of this many. */
const BATCH = 200;

/** What a proof that has not ended still brings, and its place in the order. */
export interface LiveProof {
  readonly proofId: string;
  readonly createdAt: number;
  /** null until ingest has seen it; it has no partitions then. */
  readonly circuitId: string | null;
  /** 0 is the most urgent class. */
  readonly priorityClass: number;
  readonly tenant: string;
  readonly sequence: number;
  readonly deadlineAt: number | null;
  readonly states: readonly PartitionState[];
}

const HEAD = [
  'createdAt',
  'circuitId',
  'partitions',
  'priority',
  'tenant',
  'sequence',
  'deadlineAt',
] as const;

/** Every proof that has not ended, oldest first. */
export async function readLive(redis: Redis): Promise<readonly LiveProof[]> {
  const ids = await redis.zrange(LIVE_KEY, '0', '-1');
  const proofs: LiveProof[] = [];
  for (let at = 0; at < ids.length; at += BATCH) {
    proofs.push(...(await readBatch(redis, ids.slice(at, at + BATCH))));
  }
  return proofs;
}

async function readBatch(redis: Redis, ids: readonly string[]): Promise<LiveProof[]> {
  const heads = redis.pipeline();
  for (const id of ids) heads.hmget(proofKey(id), ...HEAD);
  const rows = rowsOf(await heads.exec());
  const tails = redis.pipeline();
  const counts = rows.map((row) => Number(row[HEAD.indexOf('partitions')] ?? 0));
  ids.forEach((id, i) => {
    const fields = Array.from({ length: counts[i] ?? 0 }, (_, k) => `p${k}.state`);
    if (fields.length > 0) tails.hmget(proofKey(id), ...fields);
  });
  const states = rowsOf(await tails.exec());
  return rows.flatMap((row, i) => {
    const own = (counts[i] ?? 0) > 0 ? (states.shift() ?? []) : [];
    const field = (name: (typeof HEAD)[number]) => row[HEAD.indexOf(name)] ?? null;
    if (field('createdAt') === null) return []; // Gone in between.
    const deadlineAt = field('deadlineAt');
    return {
      proofId: ids[i] as string,
      createdAt: Number(field('createdAt')),
      circuitId: field('circuitId'),
      priorityClass: Number(field('priority') ?? 0),
      tenant: field('tenant') ?? '',
      sequence: Number(field('sequence') ?? 0),
      deadlineAt: deadlineAt === null ? null : Number(deadlineAt),
      // Partitions that ingest has not come to yet wait like those that it has found good.
      states: own.map((state) => state ?? 'pending') as PartitionState[],
    };
  });
}

function rowsOf(answers: [Error | null, unknown][] | null): (string | null)[][] {
  return (answers ?? []).map(([error, row]) => {
    if (error) throw error;
    return row as (string | null)[];
  });
}
