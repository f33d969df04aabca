import type { Redis } from 'ioredis';
import { eventsKey } from '../redis/keys.ts';

export interface ProofEvent {
  /** Stream id: give it back to go on after this event. */
  readonly id: string;
  /** Unix ms. */
  readonly at: number;
  readonly type: string;
  readonly data: Readonly<Record<string, unknown>>;
}

const STREAM_ID = /^\d{1,15}-\d{1,15}$/;

export const isEventId = (text: string): boolean => STREAM_ID.test(text);

/** Events of a proof after `afterId` (null: from the first that is kept), oldest first. */
export async function readEvents(
  redis: Redis,
  proofId: string,
  afterId: string | null,
  limit = 200,
): Promise<readonly ProofEvent[]> {
  const start = afterId === null ? '-' : `(${afterId}`;
  const entries = await redis.xrange(eventsKey(proofId), start, '+', 'COUNT', limit);
  return entries.map(([id, fields]) => {
    const field = (name: string) => fields[fields.indexOf(name) + 1] ?? '';
    return {
      id,
      at: Number(field('at')),
      type: field('type'),
      data: JSON.parse(field('data')) as Record<string, unknown>,
    };
  });
}

/** Every event of a proof that is kept (about two thousand at most), oldest first. */
export async function readAllEvents(redis: Redis, proofId: string): Promise<readonly ProofEvent[]> {
  const all: ProofEvent[] = [];
  for (;;) {
    const page = await readEvents(redis, proofId, all.at(-1)?.id ?? null, 1_000);
    all.push(...page);
    if (page.length < 1_000) return all;
  }
}
