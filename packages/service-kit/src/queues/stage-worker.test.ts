import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CuzkError } from '@cuzk/core/errors';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { Coordinator } from '../fleet/coordinator.ts';
import type { Service } from '../open-service.ts';
import { acceptC1, submitPartitionProof, submitResult, submitWitness } from '../record/changes.ts';
import { createOrJoinProof } from '../record/create-proof.ts';
import { readProof } from '../record/read-proof.ts';
import { cancelRun } from '../record/run-control.ts';
import type { Change, Claim, NextUnit, Stage, StageUnit } from '../record/types.ts';
import { STOP_CHANNEL } from '../redis/keys.ts';
import { eventually, TestFleet } from '../testing/open-test-service.ts';
import { TestRedis } from '../testing/redis-server.ts';
import { artifact, newProof, only, WITNESS_BYTES } from '../testing/sample-proof.ts';
import { jobIdOf, parseJobId } from './job-id.ts';
import type { StageContext, StageWorkerOptions } from './stage-options.ts';
import { StageWorker } from './stage-worker.ts';

let server: TestRedis;
let fleet: TestFleet;
let service: Service;
const closing: (() => Promise<void>)[] = [];

beforeAll(async () => {
  server = await TestRedis.start();
});
afterAll(() => server.stop());
beforeEach(async () => {
  fleet = new TestFleet(server.url);
  service = await fleet.open('synth-worker');
  await service.redis.flushall();
  await service.presence.publish({ ready: true, status: 'ready' });
});
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
  await fleet.close();
});

/** The plainest handlers of all four stages: they submit made-up references. */
const DONE: { [S in Stage]: (claim: Claim) => Promise<Change> } = {
  ingest: (claim) =>
    acceptC1(service.redis, claim.fence, {
      circuitId: 'circuit',
      sectorBytes: 2048,
      witnessBytes: WITNESS_BYTES,
      publicInputs: artifact('inputs'),
      inputs: [artifact('a'), artifact('b')],
    }),
  synthesize: (claim) => submitWitness(service.redis, claim.fence, artifact('w'), []),
  prove: (claim) =>
    submitPartitionProof(service.redis, claim.fence, {
      proof: new Uint8Array(192),
      parameters: 'insecure-development',
      worker: 'gpu',
      phases: [],
    }),
  finalize: (claim) =>
    submitResult(service.redis, claim.fence, artifact('result'), 'insecure-development'),
};

async function work<S extends Stage>(
  stage: S,
  handle: (claim: Claim, context: StageContext) => Promise<Change> = DONE[stage],
  more: Partial<StageWorkerOptions<S>> = {},
  on: Service = service,
): Promise<StageWorker<S>> {
  const options = { stage, concurrency: 2, maxFailures: 3, handle, ...more };
  const worker = await StageWorker.start(on, options as StageWorkerOptions<S>);
  closing.push(() => worker.drain());
  return worker;
}

function coordinate(options = {}): Coordinator {
  const limits = { handoffBytes: 10 * WITNESS_BYTES, window: 10 };
  const coordinator = new Coordinator(service, { ...limits, tickMs: 50, quietMs: 0, ...options });
  closing.push(() => coordinator.close());
  return coordinator;
}

async function submit(): Promise<string> {
  const created = await createOrJoinProof(service.redis, newProof());
  await service.queues.addUnits(created.next);
  return created.proofId;
}

const ended = (id: string) =>
  eventually(async () => {
    const proof = await readProof(service.redis, id);
    return proof?.endedAt ? proof : null;
  });
const hang = (_claim: Claim, { signal }: StageContext): Promise<Change> =>
  new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));

describe('job ids', () => {
  it('name a unit and are read back', () => {
    const proofId = 'prf_01940b1e-8a00-7000-8000-000000000000';
    const unit = { proofId, run: 1, stage: 'prove', partition: 7, attempt: 2 } as const;
    expect(jobIdOf(unit)).toBe(`${proofId}.r1.prove.07.a2`);
    expect(parseJobId(jobIdOf(unit))).toEqual(unit);
    const whole = { ...unit, stage: 'ingest', partition: null } as const;
    expect(parseJobId(jobIdOf(whole))).toEqual(whole);
    expect(parseJobId('other')).toBeNull();
  });
});

describe('stage workers', () => {
  it('take a job that was put back by a clock an hour ahead, which has been set right since', async () => {
    const now = Date.now.bind(Date);
    const id = await submit();
    let putBack = false;
    const admit = async () => {
      putBack = true;
      return null;
    };
    Date.now = () => now() + 3_600_000;
    const ahead = await work('ingest', DONE.ingest, { admit }, await fleet.open('synth-worker'));
    await eventually(() => putBack).finally(() => ahead.drain());
    Date.now = now;
    coordinate();
    await work('ingest');
    await eventually(async () => (await readProof(service.redis, id))?.state === 'queued');
  });

  it('take a proof through all stages, and leave nothing in the queues', async () => {
    coordinate();
    for (const stage of ['ingest', 'synthesize', 'prove', 'finalize'] as const) await work(stage);
    const proof = await ended(await submit());
    expect([proof.state, proof.partitions.map((p) => p.state)]).toEqual([
      'succeeded',
      ['proved', 'proved'],
    ]);
    await eventually(async () => {
      const depths = await service.queues.depths();
      return depths.every((d) => d.waiting + d.active + d.delayed === 0);
    });
    const keys = await service.redis.keys('{cuzk}:*:prf_*.r1.*');
    expect(keys).toEqual([]);
  });

  it('retry a failure, and end the run with the problem when it is final', async () => {
    let calls = 0;
    await work('ingest', (claim) => {
      calls++;
      if (calls < 3) throw new CuzkError('ARTIFACT_MISSING', 'not yet');
      return DONE.ingest(claim);
    });
    const id = await submit();
    await eventually(async () => (await readProof(service.redis, id))?.state === 'queued');
    expect(calls).toBe(3);

    await cancelRun(service.redis, id, 'cancelled');
    calls = Number.NEGATIVE_INFINITY;
    const never = await submit();
    const proof = await ended(never);
    expect([proof.state, proof.problem?.code, proof.attempts.ingest]).toEqual([
      'failed',
      'ARTIFACT_MISSING',
      3,
    ]);
  });

  it('do not retry what cannot pass, and hide the text of unexpected errors', async () => {
    await work('ingest', () => {
      throw new CuzkError('C1_UNSUPPORTED', 'no such sector', { pointer: '/registered_proof' });
    });
    const proof = await ended(await submit());
    expect(proof.problem).toEqual({
      code: 'C1_UNSUPPORTED',
      message: 'no such sector',
      pointer: '/registered_proof',
    });
    expect(proof.attempts.ingest).toBe(1);
  });

  it('show an unexpected error as INTERNAL without its text', async () => {
    await work('ingest', () => {
      throw new Error('secret inside');
    });
    const proof = await ended(await submit());
    expect(proof.problem?.code).toBe('INTERNAL');
    expect(JSON.stringify(proof)).not.toContain('secret inside');
  });

  it('stop running work when its run is cancelled', async () => {
    const worker = await work('ingest', hang);
    const id = await submit();
    await eventually(() => worker.running === 1);
    const startedAt = performance.now();
    await cancelRun(service.redis, id, 'cancelled');
    expect((await ended(id)).state).toBe('cancelled');
    expect(performance.now() - startedAt).toBeLessThan(1_000);
    await eventually(() => worker.running === 0);
  });

  it('stop work whose cancel comes before the answer to its claim', async () => {
    let stopped = false;
    const admit = async (unit: StageUnit) => {
      if (stopped) return null;
      await service.redis.publish(STOP_CHANNEL, unit.proofId);
      await new Promise((resolve) => setTimeout(resolve, 100));
      return { release: async () => {} };
    };
    const handle = (_claim: never, { signal }: StageContext) =>
      new Promise<Change>((_, reject) => {
        const stop = () => {
          stopped = true;
          reject(signal.reason);
        };
        if (signal.aborted) stop();
        else signal.addEventListener('abort', stop);
      });
    await work('ingest', handle as never, { admit } as never);
    await submit();
    await eventually(() => stopped, 3_000);
  });

  it('hand running work back within a second when they drain, even if the work does not listen', async () => {
    const deaf = () => new Promise<Change>(() => {});
    for (const handle of [hang, deaf]) {
      const worker = await work('ingest', handle);
      const id = await submit();
      await eventually(() => worker.running === 1);
      const startedAt = performance.now();
      await worker.drain();
      expect(performance.now() - startedAt).toBeLessThan(1_000);
      const proof = await readProof(service.redis, id);
      expect([proof?.state, proof?.attempts.ingest]).toEqual(['received', 1]);
      expect(await service.queues.waitingJobIds('ingest')).toEqual([`${id}.r1.ingest.a2`]);
      const next = await work('ingest');
      await eventually(async () => (await readProof(service.redis, id))?.state === 'queued');
      await next.drain();
      await cancelRun(service.redis, id, 'cancelled');
    }
  });

  it('look again later at units they cannot admit or must leave to others', async () => {
    let admitted = 0;
    let released = 0;
    await work('ingest', undefined, {
      admit: async () => {
        admitted++;
        return admitted < 2 ? null : { release: async () => void released++ };
      },
    });
    const id = await submit();
    await eventually(async () => (await readProof(service.redis, id))?.state === 'queued');
    expect([admitted, released]).toEqual([2, 1]);
  });

  it('take no unit while paused', async () => {
    const worker = await work('ingest');
    await worker.pause();
    const id = await submit();
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect((await readProof(service.redis, id))?.attempts.ingest).toBe(0);
    await worker.resume();
    await eventually(async () => (await readProof(service.redis, id))?.state === 'queued');
  });

  it('finish what they have and take no more', async () => {
    let end: () => void = () => {};
    const worker = await work('ingest', async (claim) => {
      await new Promise<void>((resolve) => {
        end = resolve;
      });
      return DONE.ingest(claim);
    });
    const id = await submit();
    await eventually(() => worker.running === 1);
    let finished = false;
    const finishing = worker.finish().then(() => {
      finished = true;
    });
    const later = await submit();
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(finished).toBe(false);
    end();
    await finishing;
    expect((await readProof(service.redis, id))?.state).toBe('queued');
    expect((await readProof(service.redis, later))?.attempts.ingest).toBe(0);
  });

  it('write one span per attempt into the trace of the request', async () => {
    await work('ingest');
    const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
    const created = await createOrJoinProof(service.redis, newProof({ traceparent }));
    await service.queues.addUnits(created.next);
    const line = await eventually(() => {
      try {
        return readFileSync(join(fleet.folder, 'spans.jsonl'), 'utf8').trim();
      } catch {
        return null;
      }
    });
    expect(JSON.parse(line)).toMatchObject({
      name: 'cuzk.ingest',
      traceId: '0af7651916cd43dd8448eb211c80319c',
      parentSpanId: 'b7ad6b7169203331',
      attributes: { 'cuzk.proof': created.proofId, 'cuzk.attempt': 1, 'cuzk.outcome': 'done' },
    });
  });
});

describe('the coordinator', () => {
  it('adds jobs again that were lost from the queues', async () => {
    const created = await createOrJoinProof(service.redis, newProof());
    expect(await service.queues.waitingJobIds('ingest')).toEqual([]);
    coordinate();
    await work('ingest');
    await eventually(
      async () => (await readProof(service.redis, created.proofId))?.state !== 'received',
    );
  });

  it('makes a job anew that is there but in no list of its queue', async () => {
    const id = await submit();
    const { redis } = service;
    expect(await redis.del('{cuzk}:ingest:prioritized')).toBe(1);
    expect(await redis.keys('{cuzk}:ingest:prf_*')).toHaveLength(1);
    coordinate();
    await work('ingest');
    await eventually(async () => (await readProof(redis, id))?.state !== 'received');
  });

  it('lets another worker finish what a silent one held', async () => {
    const dying = await fleet.open('synth-worker', 'node-b');
    const stuck = await work('ingest', () => new Promise<Change>(() => {}), {}, dying);
    const id = await submit();
    await eventually(() => stuck.running === 1);
    await dying.presence.leave();
    coordinate({ silentMs: 200 });
    await stuck.pause();
    await work('ingest');
    const proof = await eventually(async () => {
      const now = await readProof(service.redis, id);
      return now?.state === 'queued' ? now : null;
    });
    expect(proof.attempts.ingest).toBe(2);
  });

  it('is one process at a time, and the next takes over when it leaves', async () => {
    const first = coordinate();
    await eventually(() => first.leader);
    const other = await fleet.open('synth-worker', 'node-b');
    const second = new Coordinator(other, { handoffBytes: 1, window: 1, tickMs: 50 });
    closing.push(() => second.close());
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect([first.leader, second.leader]).toEqual([true, false]);
    await first.close();
    await eventually(() => second.leader);
  });

  it('does not judge silence right after Redis came back', async () => {
    const created = await createOrJoinProof(service.redis, newProof());
    const { claimUnit } = await import('../record/claim.ts');
    const dead = { ...service.identity, owner: 'dead#1' };
    await claimUnit(service.redis, only(created.next) as NextUnit, dead);
    coordinate({ silentMs: 10, quietMs: 60_000_000 });
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect((await readProof(service.redis, created.proofId))?.attempts.ingest).toBe(1);
    expect(await service.queues.waitingJobIds('ingest')).toEqual([]);
  });
});
