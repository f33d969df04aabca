import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Service } from '../open-service.ts';
import { StageWorker } from '../queues/stage-worker.ts';
import { acceptC1, submitPartitionProof, submitResult, submitWitness } from '../record/changes.ts';
import { createOrJoinProof } from '../record/create-proof.ts';
import { readAllEvents } from '../record/read-events.ts';
import { readProof } from '../record/read-proof.ts';
import type { Claim, Stage } from '../record/types.ts';
import { eventually, TestFleet } from '../testing/open-test-service.ts';
import { TestRedis } from '../testing/redis-server.ts';
import { artifact, newProof, WITNESS_BYTES } from '../testing/sample-proof.ts';
import { Coordinator } from './coordinator.ts';
import { chooseCopies, leftMsOf } from './second-copies.ts';

/** One unit of time. */
const MS = 250;
const CIRCUIT = 'circuit';

let server: TestRedis;
let fleet: TestFleet;
const closing: (() => Promise<unknown>)[] = [];

beforeAll(async () => {
  server = await TestRedis.start();
});
afterAll(() => server.stop());
beforeEach(() => {
  fleet = new TestFleet(server.url);
});
afterEach(async () => {
  await Promise.all(closing.splice(0).map((close) => close()));
  await fleet.close();
});

/** What a prover did: partitions that counted, and ms spent on copies or attempts that did not. */
interface Work {
  readonly name: string;
  proved: number;
  wastedMs: number;
}

/** A prover that takes `actual` units of time per partition, and says it takes `said`. */
async function prover(index: number, said: number | null, actual = said ?? 1): Promise<Work> {
  const service = await fleet.open('gpu-worker', `node-${index}`);
  const work: Work = { name: service.identity.name, proved: 0, wastedMs: 0 };
  await service.presence.publish({
    ...{ ready: true, status: 'ready', circuits: [CIRCUIT] },
    ...(said === null ? {} : { secondsPerPartition: { [CIRCUIT]: (said * MS) / 1000 } }),
  });
  const stage = await StageWorker.start(service, {
    stage: 'prove',
    concurrency: 1,
    maxFailures: 4,
    circuits: () => [CIRCUIT],
    handle: async ({ fence }, { signal }) => {
      const startedAt = performance.now();
      try {
        await sleep(actual * MS, undefined, { signal });
        const proof = { proof: new Uint8Array(192), worker: work.name, phases: [] };
        const change = await submitPartitionProof(service.redis, fence, {
          ...proof,
          parameters: 'insecure-development',
        });
        if (change.accepted) work.proved++;
        else work.wastedMs += performance.now() - startedAt;
        return change;
      } catch (error) {
        work.wastedMs += performance.now() - startedAt;
        throw error;
      }
    },
  });
  closing.push(() => stage.drain());
  return work;
}

async function others(partitions: number): Promise<Service> {
  const service = await fleet.open('synth-worker');
  await service.redis.flushall();
  const handle = (stage: Stage) => (claim: Claim) => {
    const { redis } = service;
    const { fence } = claim;
    if (stage === 'synthesize') return submitWitness(redis, fence, artifact('w'), []);
    if (stage === 'finalize')
      return submitResult(redis, fence, artifact('r'), 'insecure-development');
    const inputs = Array.from({ length: partitions }, (_, k) => artifact(`i${k}`));
    const facts = { circuitId: CIRCUIT, sectorBytes: 2048, witnessBytes: WITNESS_BYTES };
    return acceptC1(redis, fence, { ...facts, publicInputs: artifact('p'), inputs });
  };
  for (const stage of ['ingest', 'synthesize', 'finalize'] as const) {
    const worker = await StageWorker.start(service, {
      ...{ stage, concurrency: 4, maxFailures: 3 },
      handle: handle(stage) as never,
    });
    closing.push(() => worker.drain());
  }
  const limits = { handoffBytes: 1000 * WITNESS_BYTES, window: 1000, tickMs: 200 };
  const coordinator = new Coordinator(service, limits);
  closing.unshift(() => coordinator.close());
  await eventually(() => coordinator.leader);
  return service;
}

/** Units of time from the first claim of a prover to the last proved partition. */
async function provingTime(service: Service, ids: readonly string[]): Promise<number> {
  for (const id of ids) {
    await eventually(
      async () => (await readProof(service.redis, id))?.state === 'succeeded',
      60_000,
    );
  }
  const events = (await Promise.all(ids.map((id) => readAllEvents(service.redis, id)))).flat();
  const times = (state: string) =>
    events.filter(({ data }) => data.state === state).map(({ at }) => at);
  return (Math.max(...times('proved')) - Math.min(...times('proving'))) / MS;
}

async function submit(service: Service): Promise<string> {
  const created = await createOrJoinProof(service.redis, newProof());
  await service.queues.addUnits(created.next);
  return created.proofId;
}

/** The shortest time in which provers of these speeds can do so many partitions. */
function bestSchedule(partitions: number, speeds: readonly number[]): number {
  const free = speeds.map(() => 0);
  for (let i = 0; i < partitions; i++) {
    const ends = free.map((at, j) => at + (speeds[j] ?? 1));
    const best = ends.indexOf(Math.min(...ends));
    free[best] = ends[best] ?? 0;
  }
  return Math.max(...free);
}

describe('provers of different speeds', () => {
  it('1 : 4 : 15 do one proof in 1.15 times the best schedule and waste no work', async () => {
    const speeds = [1, 4, 15];
    const service = await others(10);
    const works: Work[] = [];
    for (const [i, speed] of speeds.entries()) works.push(await prover(i, speed));
    const took = await provingTime(service, [await submit(service)]);
    const best = bestSchedule(10, speeds);
    const wasted = works.reduce(
      (sum, { wastedMs }, i) => sum + wastedMs / (MS * (speeds[i] ?? 1)),
      0,
    );
    console.log(
      `1:4:15, 10 partitions: ${took.toFixed(2)} of ${best} units (${(took / best).toFixed(3)}×), wasted ${wasted.toFixed(2)} partitions, ${works.map(({ proved }) => proved)}`,
    );
    expect(took / best).toBeLessThan(1.15);
    expect(wasted / 10).toBeLessThanOrEqual(0.05);
    expect(works[2]?.proved).toBe(0);
  });

  it('let the slow ones help with proofs that come later, not with the one that is next', async () => {
    const service = await others(10);
    const fast = await prover(0, 1);
    const slow = await prover(1, 6);
    const ids = [await submit(service), await submit(service), await submit(service)];
    const took = await provingTime(service, ids);
    const best = bestSchedule(30, [1, 6]);
    const slowed = (await readProof(service.redis, ids[0] as string))?.partitions.filter(
      ({ prover: by }) => by === slow.name,
    );
    console.log(
      `1:6, 3 × 10 partitions: ${took.toFixed(2)} of ${best} units, ${fast.proved}+${slow.proved}`,
    );
    expect(slow.proved).toBeGreaterThanOrEqual(3);
    expect(slowed?.length).toBeLessThanOrEqual(2);
    expect(took / best).toBeLessThan(1.15);
  });

  it('a faster one without work repeats what a slower one is late with, and the first result wins', async () => {
    const service = await others(2);
    // It says 1 and takes 40: a prover that got stuck.
    const stuck = await prover(0, 1, 40);
    const id = await submit(service);
    await eventually(async () =>
      (await readProof(service.redis, id))?.partitions.some(({ state }) => state === 'proving'),
    );
    const fast = await prover(1, 1);
    const took = await provingTime(service, [id]);
    expect(took).toBeLessThan(10);
    expect([fast.proved, stuck.proved]).toEqual([2, 0]);
    const events = await readAllEvents(service.redis, id);
    expect(events.filter(({ type }) => type === 'copied')).toHaveLength(1);
    // The loser is told to stop, and is free again.
    await eventually(() => stuck.wastedMs > 0, 2_000);
    expect(stuck.wastedMs).toBeLessThan(15 * MS);
  });

  it('without a measurement take what there is', async () => {
    const service = await others(2);
    await prover(0, null, 1);
    expect(await provingTime(service, [await submit(service)])).toBeLessThan(4);
  });
});

describe('second copies', () => {
  const unit = { proofId: 'p', run: 1, stage: 'prove', partition: 0, attempt: 1 } as const;
  const running = (leftMs: number, changes = {}) => ({
    ...{ unit, circuitId: CIRCUIT, hasCopy: false, leftMs },
    ...changes,
  });
  const idle = (name: string, ms: number) => ({ name, ms: { [CIRCUIT]: ms } });

  it('are started by the fastest, of what ends last, where that gains something', () => {
    const late = { ...unit, partition: 1 };
    const open = [running(5_000), running(9_000, { unit: late })];
    expect(chooseCopies([idle('slow', 8_000), idle('fast', 1_000)], open)).toEqual([
      { unit: late, worker: 'fast' },
    ]);
    expect(chooseCopies([idle('fast', 4_500)], [running(5_000)])).toEqual([]);
    expect(chooseCopies([idle('fast', 1_000)], [running(9_000, { hasCopy: true })])).toEqual([]);
    expect(chooseCopies([{ name: 'other', ms: { other: 1 } }], [running(9_000)])).toEqual([]);
  });

  it('take what is late for as long again', () => {
    expect(leftMsOf(1_000, 400)).toBe(600);
    expect(leftMsOf(1_000, 7_000)).toBe(7_000);
  });
});
