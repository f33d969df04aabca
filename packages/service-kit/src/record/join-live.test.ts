import type { Redis } from 'ioredis';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { dispatchAll, dispatchNext } from '../fleet/dispatcher.ts';
import { createLogger } from '../logger.ts';
import { jobIdOf } from '../queues/job-id.ts';
import { Queues } from '../queues/queues.ts';
import {
  GPU,
  ingested,
  mustClaim,
  newProof,
  only,
  SYNTH,
  synthesized,
} from '../testing/sample-proof.ts';
import { useTestRedis } from '../testing/use-test-redis.ts';
import { claimUnit } from './claim.ts';
import { createOrJoinProof } from './create-proof.ts';
import type { Priority } from './priority.ts';
import { readProof } from './read-proof.ts';
import type { NextUnit, Stage } from './types.ts';

const AMPLE = { handoffBytes: 1e9, window: 100 };

let redis: Redis;
let queues: Queues;
useTestRedis((opened) => {
  redis = opened;
});
beforeAll(() => {
  queues = new Queues(redis, createLogger('api', 'silent'));
});
afterAll(() => queues.close());

async function contentOf(proofId: string): Promise<string> {
  return String(await redis.hget(`{cuzk}:proof:${proofId}`, 'contentKey'));
}
async function join(proofId: string, priority: Priority): Promise<readonly NextUnit[]> {
  const contentKey = await contentOf(proofId);
  const created = await createOrJoinProof(redis, newProof({ contentKey, priority }));
  expect([created.joined, created.proofId, created.next]).toEqual([true, proofId, []]);
  return created.raised;
}
const priorityOf = async (proofId: string) => (await readProof(redis, proofId))?.priority;
const orderOf = (stage: Stage) => queues.waitingJobIds(stage);

it('who joins a live proof lends it a class that is more urgent, and takes none away', async () => {
  const id = await ingested(redis, 2, { priority: 'normal' });
  expect(await join(id, 'low')).toEqual([]);
  expect(await priorityOf(id)).toBe('normal');
  await join(id, 'high');
  expect(await priorityOf(id)).toBe('high');
});

it('partitions that wait for dispatch go before those of other proofs then', async () => {
  const first = await ingested(redis, 1, { priority: 'normal' });
  const joined = await ingested(redis, 2, { priority: 'low' });
  expect(await join(joined, 'critical')).toEqual([]);
  const { units } = await dispatchAll(redis, AMPLE);
  expect(units.map(({ proofId }) => proofId)).toEqual([joined, joined, first]);
  expect(await redis.zcard('{cuzk}:pending')).toBe(0);
  expect((await dispatchNext(redis, AMPLE)).outcome).toBe('idle');
});

it('jobs that wait in a queue go before others: those of ingest, and of partitions', async () => {
  const before = await createOrJoinProof(redis, newProof());
  const joined = await createOrJoinProof(redis, newProof());
  await queues.addUnits([...before.next, ...joined.next]);
  await queues.raiseUnits(await join(joined.proofId, 'critical'));
  expect(await orderOf('ingest')).toEqual([joined, before].map(({ next }) => jobIdOf(only(next))));
});

it('partitions that wait for a prover go before others, in its queue and where one is taken instead', async () => {
  const first = await ingested(redis, 1);
  const joined = await ingested(redis, 1);
  const { units } = await dispatchAll(redis, AMPLE);
  const waiting: NextUnit[] = [];
  for (const unit of units) waiting.push(await synthesized(redis, unit));
  await queues.addUnits(waiting);
  const [own, other] = waiting as [NextUnit, NextUnit];
  expect([own.proofId, other.proofId]).toEqual([first, joined]);
  const raised = await join(joined, 'critical');
  expect(raised.map(jobIdOf)).toEqual([jobIdOf(other)]);
  await queues.raiseUnits(raised);
  expect(await orderOf('prove')).toEqual([jobIdOf(other), jobIdOf(own)]);
  expect(await redis.zrange('{cuzk}:provable', '0', '-1')).toEqual([`${joined}:0`, `${first}:0`]);
  await mustClaim(redis, other, GPU);
  // what has been taken stays as it is, and a job that is gone is no failure
  expect(await join(joined, 'critical')).toEqual([]);
  await queues.raiseUnits([{ ...other, attempt: 7 }]);
  expect(await claimUnit(redis, other, SYNTH)).toMatchObject({ refused: 'busy' });
});

it('a later deadline of who joins is the one by which its partitions wait', async () => {
  const soon = Date.now() + 100_000;
  const joined = await ingested(redis, 1, { deadlineAt: soon });
  const other = await ingested(redis, 1, { deadlineAt: soon + 1 });
  const contentKey = await contentOf(joined);
  await createOrJoinProof(redis, newProof({ contentKey, deadlineAt: soon + 2 }));
  const { units } = await dispatchAll(redis, AMPLE);
  expect(units.map(({ proofId }) => proofId)).toEqual([other, joined]);
});

it('the same request again, by its idempotency key, may be more urgent too', async () => {
  const proof = newProof({ idempotencyKey: 'key' });
  const created = await createOrJoinProof(redis, proof);
  const { contentKey } = proof;
  const again = newProof({ idempotencyKey: 'key', contentKey, priority: 'critical' });
  const { joined, raised } = await createOrJoinProof(redis, again);
  expect([joined, raised.map(jobIdOf)]).toEqual([true, created.next.map(jobIdOf)]);
  expect(await priorityOf(proof.proofId)).toBe('critical');
});
