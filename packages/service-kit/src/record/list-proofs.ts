import type { Redis } from 'ioredis';
import { PROOFS_KEY, proofKey } from '../redis/keys.ts';
import { type Priority, priorityOf } from './priority.ts';
import type { Problem, RunState } from './types.ts';

export interface ProofSummary {
  readonly proofId: string;
  readonly state: RunState;
  readonly tenant: string;
  readonly minerId: string;
  readonly sectorNumber: string;
  readonly sectorBytes: number | null;
  readonly priority: Priority;
  readonly createdAt: number;
  readonly endedAt: number | null;
  readonly partitions: number;
  readonly problem: Problem | null;
}

export interface ProofPage {
  readonly proofs: readonly ProofSummary[];
  /** Give it as `before` to get the next page; null at the end. */
  readonly next: string | null;
}

export interface ListOptions {
  readonly limit: number;
  /** The proof after which (in time: before which) to go on. */
  readonly before?: string;
  readonly state?: RunState;
  /** Only proofs of this tenant. */
  readonly tenant?: string;
}

const FIELDS = [
  'state',
  'tenant',
  'minerId',
  'sectorNumber',
  'sectorBytes',
  'priority',
  'createdAt',
  'endedAt',
  'partitions',
  'problem',
] as const;

/** Reads this many records at a time while it looks for ones in the wanted state. */
const BATCH = 100;

/** Proofs, newest first. */
export async function listProofs(redis: Redis, options: ListOptions): Promise<ProofPage> {
  const { limit, before, state, tenant } = options;
  let start = 0;
  if (before !== undefined) {
    const rank = await redis.zrevrank(PROOFS_KEY, before);
    if (rank === null) return { proofs: [], next: null };
    start = rank + 1;
  }
  const proofs: ProofSummary[] = [];
  for (;;) {
    const ids = await redis.zrevrange(PROOFS_KEY, start, start + BATCH - 1);
    for (const summary of await summaries(redis, ids)) {
      if (state !== undefined && summary.state !== state) continue;
      if (tenant !== undefined && summary.tenant !== tenant) continue;
      if (proofs.length === limit) return { proofs, next: proofs.at(-1)?.proofId ?? null };
      proofs.push(summary);
    }
    if (ids.length < BATCH) return { proofs, next: null };
    start += BATCH;
  }
}

async function summaries(redis: Redis, ids: readonly string[]): Promise<ProofSummary[]> {
  const pipeline = redis.pipeline();
  for (const id of ids) pipeline.hmget(proofKey(id), ...FIELDS);
  const rows = (await pipeline.exec()) ?? [];
  return rows.flatMap(([error, row], i) => {
    if (error) throw error;
    const values = row as (string | null)[];
    const field = (name: (typeof FIELDS)[number]) => values[FIELDS.indexOf(name)] ?? null;
    const state = field('state');
    if (!state) return [];
    const problem = field('problem');
    const number = (text: string | null) => (text === null ? null : Number(text));
    return [
      {
        proofId: ids[i] as string,
        state: state as RunState,
        tenant: field('tenant') ?? '',
        minerId: field('minerId') ?? '',
        sectorNumber: field('sectorNumber') ?? '',
        sectorBytes: number(field('sectorBytes')),
        priority: priorityOf(Number(field('priority') ?? 0)),
        createdAt: Number(field('createdAt') ?? 0),
        endedAt: number(field('endedAt')),
        partitions: Number(field('partitions') ?? 0),
        problem: problem === null ? null : (JSON.parse(problem) as Problem),
      },
    ];
  });
}
