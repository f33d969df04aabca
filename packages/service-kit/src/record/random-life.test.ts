import fc from 'fast-check';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { dispatchNext } from '../fleet/dispatcher.ts';
import { reconcile } from '../fleet/reconciler.ts';
import { HANDOFF_POOL, poolStatus } from '../permits/permits.ts';
import { createIdentity, type WorkerIdentity } from '../presence/identity.ts';
import { BUSY_KEY, LIVE_KEY, PENDING_KEY } from '../redis/keys.ts';
import { TestRedis } from '../testing/redis-server.ts';
import { artifact, newProof, WITNESS_BYTES } from '../testing/sample-proof.ts';
import {
  acceptC1,
  acceptPartition,
  failUnit,
  handBackUnit,
  rejectPartitions,
  releaseHandoff,
  submitPartitionProof,
  submitResult,
  submitWitness,
} from './changes.ts';
import { claimUnit, isRefusal } from './claim.ts';
import { createOrJoinProof } from './create-proof.ts';
import { offerCopy } from './offer-copy.ts';
import { PRIORITIES } from './priority.ts';
import { readAllEvents } from './read-events.ts';
import { readProof } from './read-proof.ts';
import { retryProof } from './retry.ts';
import { cancelRun, requeueSilentOwners } from './run-control.ts';
import { clearSuspicion } from './suspects.ts';
import type { Change, Claim, PartitionState, Problem, ProofRecord, StageUnit } from './types.ts';
import { ENDED_STATES } from './types.ts';

let server: TestRedis;
let redis: Redis;

beforeAll(async () => {
  server = await TestRedis.start();
  redis = new Redis(server.url);
});
afterAll(async () => {
  redis.disconnect();
  await server.stop();
});

/** SLOW=1: a thousand lives of another seed each time, which a failure prints. */
const SLOW = process.env.SLOW === '1';
const PROBLEM: Problem = { code: 'INTERNAL', message: 'made up' };
const CAP = 3 * WITNESS_BYTES;
const PARTITIONS = 3;
const CIRCUIT = { circuitId: 'circuit', sectorBytes: 2048, witnessBytes: WITNESS_BYTES } as const;
/** Partitions on devices whose permit was given back: what may come back on top of the cap. */
const PROVERS = 2;
const WAITS_WITH_PERMIT: readonly PartitionState[] = ['queued', 'synthesizing', 'synthesized'];

/** One thing that happens; `pick` chooses among what it can happen to. */
interface Step {
  readonly do: keyof typeof STEPS;
  readonly pick: number;
}
/** How often each comes: what gets work on more often than what disturbs it. */
const STEPS = {
  submit: 2,
  dispatch: 6,
  claim: 12,
  read: 3,
  finish: 8,
  upload: 3,
  fail: 1,
  'hand back': 1,
  crash: 1,
  reconcile: 2,
  'lose everybody': 1,
  'late result': 3,
  cancel: 1,
  retry: 2,
  copy: 5,
  reject: 3,
} as const;
const step: fc.Arbitrary<Step> = fc.record({
  do: fc.oneof(
    ...Object.entries(STEPS).map(([name, weight]) => ({
      weight,
      arbitrary: fc.constant(name as Step['do']),
    })),
  ),
  pick: fc.nat(1_000),
});

const newCounts = () => ({
  ...{ steps: 0, accepted: 0, early: 0, late: 0, ended: 0 },
  ...{ runs: 0, copied: 0, promoted: 0, lost: 0, rejected: 0 },
});

/** A fleet without clocks and queues: what it holds, what it once held, and the jobs that are about. */
class Life {
  readonly held: Claim[] = [];
  readonly lost: Claim[] = [];
  readonly ids: string[] = [];
  readonly jobs: StageUnit[] = [];
  #workers = 0;
  readonly counts = newCounts();

  worker(role: 'synth-worker' | 'gpu-worker', index: number): WorkerIdentity {
    return {
      ...createIdentity(role, 'node', String(index)),
      owner: `${role}/node/${index}#${this.#workers}`,
    };
  }

  async submit(pick: number): Promise<void> {
    const priority = PRIORITIES[pick % PRIORITIES.length] ?? 'normal';
    const tenant = { name: `t${pick % 3}`, weight: 1 + (pick % 3), maxLiveProofs: null };
    const created = await createOrJoinProof(redis, newProof({ priority, tenant }));
    this.ids.push(created.proofId);
    this.jobs.push(...created.next);
  }

  async claim(pick: number): Promise<void> {
    const job = pick % 2 === 0 ? this.jobs.at(-1) : this.jobs[pick % Math.max(1, this.jobs.length)];
    if (job === undefined) return;
    // A device has one partition at a time.
    const busy = this.held.filter(({ stage }) => stage === 'prove').length;
    if (job.stage === 'prove' && busy >= PROVERS) return;
    const role = job.stage === 'prove' ? 'gpu-worker' : 'synth-worker';
    const identity = this.worker(role, pick % 3 === 0 ? 0 : 1);
    const answer = await claimUnit(redis, job, identity);
    if (isRefusal(answer)) {
      if (answer.refused === 'suspect') await clearSuspicion(redis, identity.name);
      if (!answer.later) this.jobs.splice(this.jobs.indexOf(job), 1);
      return;
    }
    this.jobs.splice(this.jobs.indexOf(job), 1);
    if (!this.held.some((claim) => isSame(claim, answer))) this.held.push(answer);
  }

  async finish(claim: Claim): Promise<Change> {
    const { fence } = claim;
    const k = fence.partition ?? 0;
    if (claim.stage === 'ingest') {
      const inputs = Array.from({ length: PARTITIONS }, (_, i) => artifact(`input-${i}`));
      return acceptC1(redis, fence, { ...CIRCUIT, publicInputs: artifact('public'), inputs });
    }
    if (claim.stage === 'synthesize') return submitWitness(redis, fence, artifact(`w${k}`), []);
    if (claim.stage === 'prove') {
      return submitPartitionProof(redis, fence, {
        proof: new Uint8Array(192).fill(k),
        parameters: 'insecure-development',
        worker: fence.owner.split('#')[0] ?? '',
        phases: [],
      });
    }
    return submitResult(redis, fence, artifact('result'), 'insecure-development');
  }

  async settle(claim: Claim, change: Change): Promise<void> {
    this.held.splice(this.held.indexOf(claim), 1);
    this.lost.push(claim);
    if (change.accepted) this.counts.accepted++;
    this.jobs.push(...change.next);
  }

  async crash(claim: Claim): Promise<void> {
    this.held.splice(this.held.indexOf(claim), 1);
    this.lost.push(claim);
    this.#workers++;
  }
}

const isSame = (a: Claim, b: Claim): boolean => JSON.stringify(a.fence) === JSON.stringify(b.fence);

const HAPPENS: { [S in Step['do']]: (life: Life, pick: number) => Promise<void> } = {
  submit: (life, pick) => (life.ids.length < 4 ? life.submit(pick) : Promise.resolve()),
  dispatch: async (life) => {
    const step = await dispatchNext(redis, {
      handoffBytes: CAP,
      window: 100,
      urgentBytes: WITNESS_BYTES,
    });
    if (step.outcome === 'dispatched') life.jobs.push(step.next);
  },
  claim: (life, pick) => life.claim(pick),
  read: async (life, pick) => {
    const claim = life.held.find(({ stage }) => stage === 'ingest');
    if (!claim) return;
    const partition = pick % PARTITIONS;
    const change = await acceptPartition(redis, claim.fence, {
      ...CIRCUIT,
      ...{ partitions: PARTITIONS, partition, input: artifact(`input-${partition}`) },
    });
    if (change.accepted) life.counts.early++;
  },
  finish: async (life, pick) => {
    const claim = life.held[pick % Math.max(1, life.held.length)];
    if (claim) await life.settle(claim, await life.finish(claim));
  },
  upload: async (life, pick) => {
    const proving = life.held.filter(({ stage }) => stage === 'prove');
    const claim = proving[pick % Math.max(1, proving.length)];
    if (claim) await releaseHandoff(redis, claim.fence);
  },
  fail: async (life, pick) => {
    const claim = life.held[pick % Math.max(1, life.held.length)];
    if (!claim) return;
    const code = pick % 4 === 0 ? 'ARTIFACT_MISSING' : pick % 4 === 1 ? 'GPU_HUNG' : 'INTERNAL';
    const change = await failUnit(redis, claim.fence, {
      problem: { ...PROBLEM, code },
      retryable: pick % 10 !== 0,
      maxFailures: 3,
      worker: claim.fence.owner.split('#')[0] ?? '',
      excludeMs: 0,
    });
    await life.settle(claim, change);
  },
  'hand back': async (life, pick) => {
    const claim = life.held[pick % Math.max(1, life.held.length)];
    if (claim) await life.settle(claim, await handBackUnit(redis, claim.fence, 'drained'));
  },
  crash: async (life, pick) => {
    const claim = life.held[pick % Math.max(1, life.held.length)];
    if (claim) await life.crash(claim);
  },
  reconcile: async (life) => {
    const { units } = await reconcile(redis, { judgeSilence: false });
    for (const unit of units) {
      if (!life.jobs.some((job) => JSON.stringify(job) === JSON.stringify(unit)))
        life.jobs.push(unit);
    }
  },
  // Nobody has a presence here: all owners are silent at once, the living ones as well.
  'lose everybody': async (life, pick) => {
    if (pick % 2 === 1) return;
    for (const id of await redis.zrange(LIVE_KEY, '0', '-1')) {
      life.jobs.push(...(await requeueSilentOwners(redis, id, -1)).next);
    }
    life.lost.push(...life.held.splice(0));
  },
  'late result': async (life, pick) => {
    const claim = life.lost[pick % Math.max(1, life.lost.length)];
    if (!claim || life.held.some((held) => isSame(held, claim))) return;
    const before = await readProof(redis, claim.fence.proofId);
    const change = await life.finish(claim);
    // A crashed owner that nobody has noticed yet is still the owner; anybody else changes nothing.
    if (!change.accepted) life.counts.late++;
    if (change.accepted) life.jobs.push(...change.next);
    else if (change.reason !== 'cancelled') {
      expect(await readProof(redis, claim.fence.proofId)).toEqual(before);
    }
  },
  cancel: async (life, pick) => {
    const id = life.ids[pick % Math.max(1, life.ids.length)];
    if (id && pick % 3 === 0) await cancelRun(redis, id, pick % 2 === 0 ? 'cancelled' : 'expired');
  },
  retry: async (life, pick) => {
    const id = life.ids[pick % Math.max(1, life.ids.length)];
    const state = id === undefined ? null : (await readProof(redis, id))?.state;
    if (id && (state === 'failed' || state === 'expired')) {
      life.jobs.push(...(await retryProof(redis, id)).next);
    }
  },
  copy: async (life, pick) => {
    const proving = life.held.filter(({ stage }) => stage === 'prove');
    const claim = proving[pick % Math.max(1, proving.length)];
    if (claim)
      life.jobs.push(
        ...(await offerCopy(redis, claim.fence, `gpu-worker/node/${pick % 3 === 0 ? 0 : 1}`)),
      );
  },
  reject: async (life, pick) => {
    const claim = life.held.find(({ stage }) => stage === 'finalize');
    if (!claim) return;
    const rejection = {
      partitions: [pick % PARTITIONS],
      problem: PROBLEM,
      maxFailures: 3,
      excludeMs: 0,
    };
    await life.settle(claim, await rejectPartitions(redis, claim.fence, rejection));
  },
};

async function proofs(life: Life): Promise<ProofRecord[]> {
  const read = await Promise.all(life.ids.map((id) => readProof(redis, id)));
  return read.filter((proof) => proof !== null);
}

/** What holds after every step, whatever it was. */
async function assertSound(life: Life): Promise<void> {
  const { usedBytes, leases } = await poolStatus(redis, HANDOFF_POOL);
  expect(usedBytes).toBe(leases * WITNESS_BYTES);
  const all = await proofs(life);
  const live = all.filter(({ endedAt }) => endedAt === null);
  const partitions = live.flatMap((proof) => proof.partitions);
  const waiting = partitions.filter(({ state }) => WAITS_WITH_PERMIT.includes(state)).length;
  const proving = partitions.filter(({ state }) => state === 'proving').length;
  // Every witness that is about to be or that waits has its permit; one on a device may have it.
  expect(leases).toBeGreaterThanOrEqual(waiting);
  expect(leases).toBeLessThanOrEqual(waiting + proving);
  expect(usedBytes).toBeLessThanOrEqual(CAP + PROVERS * WITNESS_BYTES);
  // One that ingest has not come to yet waits for nobody.
  const pending = partitions.filter(
    ({ state, input }) => state === 'pending' && input !== null,
  ).length;
  expect(await redis.zcard(PENDING_KEY)).toBe(pending);
  expect(await redis.zcard('{cuzk}:provable')).toBe(
    partitions.filter(({ state }) => state === 'synthesized').length,
  );
  const byTenant = await redis.hgetall('{cuzk}:tenants-live');
  const counted = Object.values(byTenant).reduce((sum, count) => sum + Number(count), 0);
  expect(counted).toBe(live.length);
}

/** Each run has one terminal state in the events, in order, and none after a success or a cancel. */
async function assertOneEndEach(life: Life): Promise<void> {
  for (const proof of await proofs(life)) {
    const events = await readAllEvents(redis, proof.proofId);
    const ends = events.filter(
      ({ type, data }) =>
        type === 'state' && (ENDED_STATES as readonly string[]).includes(String(data.state)),
    );
    expect(ends).toHaveLength(proof.run);
    expect(ends.at(-1)?.data.state).toBe(proof.state);
    life.counts.ended += ends.length;
    life.counts.runs += proof.run - 1;
    for (const { type, data } of events) {
      if (type === 'copied' || type === 'promoted') life.counts[type]++;
      if (data.lost !== undefined) life.counts.lost++;
      if (data.rejected !== undefined) life.counts.rejected++;
    }
  }
}

/** Lets everything come to an end: nobody crashes any more. */
async function runOut(life: Life): Promise<void> {
  await HAPPENS['lose everybody'](life, 0);
  for (let round = 0; round < 200; round++) {
    await HAPPENS.dispatch(life, 0);
    await HAPPENS.reconcile(life, 0);
    for (let i = life.jobs.length; i > 0; i--) await life.claim(0);
    for (const claim of [...life.held]) await life.settle(claim, await life.finish(claim));
    if ((await redis.zcard(LIVE_KEY)) === 0) return;
  }
  throw new Error(`stuck: ${JSON.stringify(await proofs(life))}`);
}

describe('proofs in a fleet where anything happens in any order', () => {
  it('end once each run, hold permits as they should, and leave nothing', {
    timeout: 1_800_000,
  }, async () => {
    const total = newCounts();
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { minLength: 60, maxLength: 200, size: 'max' }),
        async (steps) => {
          await redis.flushall();
          const life = new Life();
          await life.submit(steps.length);
          for (const { do: what, pick } of steps) {
            await HAPPENS[what](life, pick);
            await assertSound(life);
            life.counts.steps++;
          }
          await runOut(life);
          await assertSound(life);
          await assertOneEndEach(life);
          expect((await poolStatus(redis, HANDOFF_POOL)).leases).toBe(0);
          expect(await redis.hlen(BUSY_KEY)).toBe(0);
          for (const name of [
            'tenants-live',
            'weights',
            'provable',
            'pending',
            'deficits:0',
            'turns',
          ]) {
            expect([name, await redis.exists(`{cuzk}:${name}`)]).toEqual([name, 0]);
          }
          for (const key of Object.keys(total) as (keyof typeof total)[])
            total[key] += life.counts[key];
        },
      ),
      { numRuns: SLOW ? 1_000 : 40, ...(SLOW ? {} : { seed: 6 }) },
    );
    console.log(`random lives: ${JSON.stringify(total)}`);
    expect(total.steps).toBeGreaterThan(4_000);
    for (const [name, count] of Object.entries(total)) {
      expect(count, `${name} never happened`).toBeGreaterThan(0);
    }
  });
});
