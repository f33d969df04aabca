import { setTimeout as sleep } from 'node:timers/promises';
import { CuzkError } from '@cuzk/core/errors';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { Coordinator } from '../fleet/coordinator.ts';
import type { Service } from '../open-service.ts';
import {
  acceptC1,
  releaseHandoff,
  submitPartitionProof,
  submitWitness,
} from '../record/changes.ts';
import { createOrJoinProof } from '../record/create-proof.ts';
import { readProof } from '../record/read-proof.ts';
import { cancelRun } from '../record/run-control.ts';
import type { Claim, Fence } from '../record/types.ts';
import { eventually, TestFleet } from '../testing/open-test-service.ts';
import { TestRedis } from '../testing/redis-server.ts';
import { artifact, newProof, WITNESS_BYTES } from '../testing/sample-proof.ts';
import { StageWorker } from './stage-worker.ts';
import { NotBegunError } from './stop-reasons.ts';

const CIRCUIT = 'circuit';
let server: TestRedis;
let fleet: TestFleet;
let service: Service;
const closing: (() => Promise<unknown>)[] = [];

beforeAll(async () => {
  server = await TestRedis.start();
});
afterAll(() => server.stop());
beforeEach(async () => {
  fleet = new TestFleet(server.url);
  service = await fleet.open('synth-worker');
  await service.redis.flushall();
});
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
  await fleet.close();
});

/** A run of so many partitions whose witnesses wait for a prover. */
async function provable(partitions: number): Promise<string> {
  const { redis } = service;
  const inputs = Array.from({ length: partitions }, (_, k) => artifact(`i${k}`));
  const facts = { circuitId: CIRCUIT, sectorBytes: 2048, witnessBytes: WITNESS_BYTES };
  for (const [stage, handle] of [
    [
      'ingest',
      ({ fence }: Claim) =>
        acceptC1(redis, fence, { ...facts, publicInputs: artifact('p'), inputs }),
    ],
    ['synthesize', ({ fence }: Claim) => submitWitness(redis, fence, artifact('w'), [])],
  ] as const) {
    const options = { stage, concurrency: 4, maxFailures: 3, handle };
    const worker = await StageWorker.start(service, options);
    closing.push(() => worker.drain());
  }
  const limits = { handoffBytes: 1000 * WITNESS_BYTES, window: 1000, tickMs: 50, quietMs: 0 };
  const coordinator = new Coordinator(service, limits);
  closing.unshift(() => coordinator.close());
  const created = await createOrJoinProof(redis, newProof());
  await service.queues.addUnits(created.next);
  await eventually(async () => {
    const proof = await readProof(redis, created.proofId);
    return proof?.partitions.filter(({ state }) => state === 'synthesized').length === partitions;
  });
  return created.proofId;
}

interface Held {
  readonly fence: Fence;
  prove(): void;
  fail(error: Error): void;
}

/** A prover whose units end when the test says so. `beginsInMs`: what it says of its device. */
async function prover(node: string, said: { beginsInMs: number | null; seconds?: number }) {
  const own = await fleet.open('gpu-worker', node);
  const held: Held[] = [];
  await own.presence.publish({
    ...{ ready: true, status: 'ready', circuits: [CIRCUIT] },
    ...(said.seconds === undefined ? {} : { secondsPerPartition: { [CIRCUIT]: said.seconds } }),
  });
  const stage = await StageWorker.start(own, {
    ...{ stage: 'prove', concurrency: 1, maxFailures: 2, circuits: () => [CIRCUIT] },
    beginsInMs: () => said.beginsInMs,
    handle: ({ fence }, { signal }) =>
      new Promise((resolve, reject) => {
        const unit: Held = {
          fence,
          prove: () => {
            held.splice(held.indexOf(unit), 1);
            const proof = { proof: new Uint8Array(192), worker: own.identity.name, phases: [] };
            const parameters = 'insecure-development' as const;
            resolve(submitPartitionProof(own.redis, fence, { ...proof, parameters }));
          },
          fail: (error) => {
            held.splice(held.indexOf(unit), 1);
            reject(error);
          },
        };
        held.push(unit);
        signal.addEventListener('abort', () => unit.fail(signal.reason), { once: true });
      }),
  });
  let drained = false;
  const drain = async () => {
    if (drained) return;
    drained = true;
    await stage.drain();
    await own.presence.leave();
  };
  closing.push(drain);
  return { stage, held, drain };
}

const states = async (id: string) =>
  (await readProof(service.redis, id))?.partitions.map(({ state }) => state);
const first = ({ held }: { held: Held[] }): Held => held[0] as Held;

it('one partition more is taken while one is proved, and only when the device says so', async () => {
  const said = { beginsInMs: null as number | null, seconds: 1 };
  const id = await provable(3);
  const one = await prover('a', said);
  await eventually(() => one.held.length === 1);
  await sleep(200);
  expect(one.held.length).toBe(1);
  said.beginsInMs = 500;
  await eventually(() => one.held.length === 2);
  await sleep(300);
  expect([one.held.length, one.stage.running]).toEqual([2, 2]);
  first(one).prove();
  await eventually(() => one.held.length === 2);
  first(one).prove();
  first(one).prove();
  await eventually(async () => (await states(id))?.every((state) => state === 'proved'));
});

it.each([
  ['measured', 1],
  ['not measured', undefined],
])('what an idle prover (%s) could begin now is left to it', async (_, seconds) => {
  const said = { beginsInMs: null as number | null, seconds: 1 };
  await provable(2);
  const busy = await prover('a', said);
  await eventually(() => busy.held.length === 1);
  const idle = await prover('b', { beginsInMs: null, ...(seconds ? { seconds } : {}) });
  await eventually(() => idle.held.length === 1);
  await idle.stage.pause();
  first(idle).fail(new NotBegunError('test'));
  said.beginsInMs = 900;
  await sleep(500);
  expect(busy.held.length).toBe(1);
  await idle.drain();
  await eventually(() => busy.held.length === 2);
});

it('an idle prover that would end it later does not keep a busy one from taking it', async () => {
  const said = { beginsInMs: null as number | null, seconds: 1 };
  await provable(2);
  const fast = await prover('a', said);
  await eventually(() => fast.held.length === 1);
  const slow = await prover('b', { beginsInMs: null, seconds: 60 });
  said.beginsInMs = 900;
  await eventually(() => fast.held.length === 2);
  expect(slow.held.length).toBe(0);
});

it('drained, both go back at once and use up no attempt; the permit of an uploaded witness is taken again', async () => {
  const id = await provable(2);
  const one = await prover('a', { beginsInMs: 100, seconds: 1 });
  await eventually(() => one.held.length === 2);
  for (const { fence } of one.held) await releaseHandoff(service.redis, fence);
  const lent = () => service.redis.hlen('{cuzk}:pool:handoff:bytes');
  expect(await lent()).toBe(0);
  const startedAt = performance.now();
  await one.drain();
  expect(performance.now() - startedAt).toBeLessThan(1_000);
  expect(await states(id)).toEqual(['synthesized', 'synthesized']);
  expect(await lent()).toBe(2);
  const two = await prover('b', { beginsInMs: 100, seconds: 1 });
  await eventually(() => two.held.length === 2);
  const proof = await readProof(service.redis, id);
  expect(proof?.partitions.map(({ failures }) => failures)).toEqual(
    proof?.partitions.map(() => ({ synthesize: 0, prove: 0 })),
  );
});

it('the failure of one does not touch the other, and what was not begun fails nobody', async () => {
  const id = await provable(2);
  const one = await prover('a', { beginsInMs: 100, seconds: 1 });
  await eventually(() => one.held.length === 2);
  const [a, b] = one.held as [Held, Held];
  // Both failures that a unit may have (maxFailures is 2), and the run would end.
  a.fail(new CuzkError('GPU_OUT_OF_MEMORY', 'too large'));
  b.fail(new NotBegunError('device lost'));
  await eventually(() => one.held.length === 2);
  for (const { fence, fail } of [...one.held]) {
    if (fence.partition === b.fence.partition) fail(new NotBegunError('device lost'));
  }
  await eventually(() => one.held.length === 2);
  for (const { prove } of [...one.held]) prove();
  await eventually(async () => (await states(id))?.every((state) => state === 'proved'));
});

it('a cancelled run lets go of both', async () => {
  const id = await provable(2);
  const one = await prover('a', { beginsInMs: 100, seconds: 1 });
  await eventually(() => one.held.length === 2);
  await cancelRun(service.redis, id, 'cancelled');
  await eventually(async () => (await readProof(service.redis, id))?.state === 'cancelled');
  await eventually(() => one.stage.running === 0);
});
