import { createHash, randomBytes } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { g1 } from '@cuzk/core/curve/g1';
import { decodeProof, encodeProof } from '@cuzk/core/groth16/proof';
import { proverIdOfActor } from '@cuzk/core/porep/replica-id';
import { madeUpFr, sealedC1, sealSector } from '@cuzk/core/porep/testing/seal-sector';
import { c1Ref } from '@cuzk/service-kit/artifacts/names';
import { loadConfig } from '@cuzk/service-kit/config/load-config';
import type { Service } from '@cuzk/service-kit/open-service';
import { acquirePermit, poolStatus, releasePermit } from '@cuzk/service-kit/permits/permits';
import { createOrJoinProof } from '@cuzk/service-kit/record/create-proof';
import { newProofId } from '@cuzk/service-kit/record/proof-id';
import { readProof } from '@cuzk/service-kit/record/read-proof';
import { cancelRun } from '@cuzk/service-kit/record/run-control';
import { NO_TENANT } from '@cuzk/service-kit/record/tenant';
import type { ArtifactRef, ProofRecord } from '@cuzk/service-kit/record/types';
import type { RunningService } from '@cuzk/service-kit/run-service';
import {
  type GoldenCase,
  installGoldenKey,
  readGoldenCase,
} from '@cuzk/service-kit/testing/golden-case';
import { startGoldenProver } from '@cuzk/service-kit/testing/golden-prover';
import { eventually, TestFleet } from '@cuzk/service-kit/testing/open-test-service';
import { TestRedis } from '@cuzk/service-kit/testing/redis-server';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { SYNTH_WORKER_SETTINGS } from './config.ts';
import { startSynthWorker } from './start-synth-worker.ts';

let server: TestRedis;
let fleet: TestFleet;
let client: Service;
let worker: RunningService;
const closing: (() => Promise<void>)[] = [];
const GOLDEN = readGoldenCase('2KiB-V1_1-a');

beforeAll(async () => {
  server = await TestRedis.start();
});
afterAll(() => server.stop());
beforeEach(async () => {
  fleet = new TestFleet(server.url);
  client = await fleet.open('api');
  await client.redis.flushall();
  installGoldenKey(join(fleet.folder, 'cache'));
});
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
  await fleet.close();
});

async function start(settings: Record<string, string> = {}): Promise<void> {
  const environment = {
    REDIS_URL: server.url,
    ARTIFACT_DIR: join(fleet.folder, 'artifacts'),
    CUZK_CACHE_DIR: join(fleet.folder, 'cache'),
    FIL_PROOFS_PARAMETER_CACHE: join(fleet.folder, 'no-production-parameters'),
    ALLOW_DEVELOPMENT_PARAMS: '1',
    NODE_NAME: 'node-a',
    LOG_LEVEL: process.env.TEST_LOG ?? 'silent',
    SYNTH_THREADS: '1',
    ...settings,
  };
  worker = await startSynthWorker(loadConfig(SYNTH_WORKER_SETTINGS, environment));
  closing.push(() => worker.stop());
}

/** A C1 of thirteen partitions, of which one has a wrong node in its second labeling proof. */
function nonInteractiveC1(bad: number): { c1: Uint8Array; at: string } {
  const sector = sealSector({
    proof: 'StackedDrg2KiBV1_2_Feat_NonInteractivePoRep',
    proverId: proverIdOfActor(BigInt(GOLDEN.minerId)),
    sectorId: 5n,
    ticket: madeUpFr('ticket'),
    seed: madeUpFr('seed'),
  });
  const document = JSON.parse(Buffer.from(sealedC1(sector)).toString());
  const [key] = Object.keys(document.vanilla_proofs);
  document.vanilla_proofs[String(key)][bad][1].labeling_proofs[1].node ^= 1;
  const at = `/vanilla_proofs/${key}/${bad}/1/labeling_proofs/1/node`;
  return { c1: Buffer.from(JSON.stringify(document)), at };
}

async function submit(golden: GoldenCase, c1: Uint8Array = golden.c1): Promise<string> {
  const proofId = newProofId();
  const stored = await client.artifacts.put(c1Ref(proofId), c1);
  const created = await createOrJoinProof(client.redis, {
    proofId,
    kind: 'porep',
    minerId: golden.minerId,
    sectorNumber: golden.sectorNumber,
    contentKey: createHash('sha256').update(randomBytes(8)).digest('hex'),
    c1: stored,
    priority: 'normal',
    deadlineAt: null,
    tenant: NO_TENANT,
    traceparent: null,
  });
  await client.queues.addUnits(created.next);
  return proofId;
}

const reaches = (id: string, done: (proof: ProofRecord) => boolean, timeoutMs = 60_000) =>
  eventually(async () => {
    const proof = await readProof(client.redis, id);
    return proof && done(proof) ? proof : null;
  }, timeoutMs);
const ends = (id: string) => reaches(id, (proof) => proof.endedAt !== null);
const refs = async (id: string): Promise<string[]> => {
  const found: string[] = [];
  for await (const { ref } of client.artifacts.list(`proofs/${id}/`)) found.push(ref);
  return found;
};

describe('the stages of the synth-worker', () => {
  it('turn golden C1s into the proofs of bellperson, verified before they count', async () => {
    await start();
    const prover = await startGoldenProver(await fleet.open('gpu-worker'));
    closing.push(() => prover.drain());
    for (const name of ['2KiB-V1_1-a', '2KiB-Synthetic-a'] as const) {
      const golden = readGoldenCase(name);
      const proof = await ends(await submit(golden));
      expect([proof.state, proof.parameters]).toEqual(['succeeded', 'insecure-development']);
      const result = await client.artifacts.get(proof.result as NonNullable<typeof proof.result>);
      expect(Buffer.from(result).equals(golden.proof)).toBe(true);
      const names = proof.partitions[0]?.phases.map((phase) => phase.name);
      expect(names).toContain('cuzk.synthesize.fill');
    }
    expect((await poolStatus(client.redis, 'handoff')).usedBytes).toBe(0);
    expect((await poolStatus(client.redis, 'host:node-a')).usedBytes).toBe(0);
  });

  it('refuse a C1 of another sector with code and pointer, and make no synthesis of it', async () => {
    await start();
    const proof = await ends(await submit({ ...GOLDEN, sectorNumber: '2' }));
    expect(proof.state).toBe('failed');
    expect(proof.problem).toMatchObject({ code: 'C1_INCONSISTENT', pointer: '/replica_id' });
    expect([proof.attempts.ingest, proof.partitions.length]).toEqual([1, 0]);
  });

  it('begin with the first partitions of a C1 before a later one is found bad, and end them', async () => {
    await start();
    const { c1, at } = nonInteractiveC1(12);
    const id = await submit({ ...GOLDEN, sectorNumber: '5' }, c1);
    const proof = await ends(id);
    expect([proof.state, proof.result]).toEqual(['failed', null]);
    expect(proof.problem).toMatchObject({ code: 'C1_INCONSISTENT', pointer: at });
    expect(proof.partitions).toHaveLength(13);
    const [first] = proof.partitions;
    expect([first?.input === null, first?.enteredAt.queued === undefined]).toEqual([false, false]);
    expect(proof.partitions[12]?.input).toBeNull();
    await eventually(async () => {
      const left = (await readProof(client.redis, id))?.partitions.map(({ state }) => state);
      return left?.every((state) => state === 'cancelled');
    });
    expect((await poolStatus(client.redis, 'handoff')).usedBytes).toBe(0);
    await eventually(async () => (await poolStatus(client.redis, 'host:node-a')).usedBytes === 0);
  });

  it('have one partition whose proof does not verify proved again, by another worker', async () => {
    await start();
    const negated = (bytes: Uint8Array) => {
      const proof = decodeProof(bytes);
      return encodeProof({ ...proof, a: g1.negate(proof.a) });
    };
    const lying = await startGoldenProver(await fleet.open('gpu-worker', 'node-b'), {
      change: negated,
    });
    const id = await submit(GOLDEN);
    const rejected = await reaches(
      id,
      (proof) => proof.partitions[0]?.problem !== null && proof.partitions.length > 0,
    );
    expect(rejected.partitions[0]?.problem).toMatchObject({ code: 'PROOF_SELF_CHECK_FAILED' });
    expect(rejected.partitions[0]?.problem?.found).toContain('gpu-worker/node-b/0');
    const honest = await startGoldenProver(await fleet.open('gpu-worker', 'node-c'));
    closing.push(
      () => lying.drain(),
      () => honest.drain(),
    );
    const proof = await ends(id);
    expect([proof.state, proof.partitions[0]?.prover]).toEqual([
      'succeeded',
      'gpu-worker/node-c/0',
    ]);
  });

  it('never return a proof that does not verify', async () => {
    await start();
    const damaged = (bytes: Uint8Array) => Uint8Array.from(bytes).fill(0x55, 60, 70);
    // a prover that lied once is quarantined, so that every attempt needs another liar
    for (const node of ['a', 'b', 'c', 'd']) {
      const service = await fleet.open('gpu-worker', `node-${node}`);
      const lying = await startGoldenProver(service, { change: damaged });
      closing.push(() => lying.drain());
    }
    const proof = await ends(await submit(GOLDEN));
    expect([proof.state, proof.problem?.code, proof.result]).toEqual([
      'failed',
      'PROOF_SELF_CHECK_FAILED',
      null,
    ]);
    expect(proof.partitions[0]?.failures.prove).toBe(3);
  });

  it('do not take development proofs unless they are allowed', async () => {
    await start({ ALLOW_DEVELOPMENT_PARAMS: '0' });
    const prover = await startGoldenProver(await fleet.open('gpu-worker'));
    closing.push(() => prover.drain());
    const proof = await ends(await submit(GOLDEN));
    expect([proof.state, proof.problem?.code]).toEqual(['failed', 'PARAMS_INSECURE']);
  });

  it('delete everything of a cancelled proof at once', async () => {
    await start();
    const id = await submit(GOLDEN);
    await reaches(
      id,
      (proof) => proof.partitions[0]?.state === 'synthesized' && proof.publicInputs !== null,
    );
    expect(await refs(id)).toHaveLength(4);
    await cancelRun(client.redis, id, 'cancelled');
    await ends(id);
    await eventually(async () => (await refs(id)).length === 0);
  });

  it('make a damaged witness again', async () => {
    await start();
    const id = await submit(GOLDEN);
    const waiting = await reaches(id, (proof) => proof.partitions[0]?.state === 'synthesized');
    const ref = waiting.partitions[0]?.witness?.ref ?? '';
    await client.artifacts.put(ref, Buffer.from('damaged'));
    const prover = await startGoldenProver(await fleet.open('gpu-worker'));
    closing.push(() => prover.drain());
    const proof = await ends(id);
    expect([proof.state, proof.partitions[0]?.attempts]).toEqual([
      'succeeded',
      { synthesize: 2, prove: 2 },
    ]);
  });

  it('make damaged partition inputs and public inputs again from the C1', async () => {
    const prover = await startGoldenProver(await fleet.open('gpu-worker'));
    closing.push(() => prover.drain());
    // A pool without room: the partition waits until its artifacts are damaged.
    const permit = {
      pool: 'host:node-a',
      lease: 'other',
      bytes: 1e9,
      capBytes: 1e9,
      holder: 'test',
      ttlMs: 0,
    };
    await acquirePermit(client.redis, permit);
    await start({ SYNTH_MEMORY_BYTES: String(1e9) });
    const id = await submit(GOLDEN);
    const waiting = await reaches(
      id,
      (proof) => proof.partitions[0]?.state === 'queued' && proof.publicInputs !== null,
    );
    const input = waiting.partitions[0]?.input as ArtifactRef;
    const publicInputs = waiting.publicInputs as ArtifactRef;
    await client.artifacts.put(input.ref, Buffer.from('damaged'));
    await client.artifacts.delete(publicInputs.ref);
    await releasePermit(client.redis, 'host:node-a', 'other');
    const proof = await ends(id);
    expect([proof.state, proof.partitions[0]?.attempts]).toEqual([
      'succeeded',
      { synthesize: 1, prove: 1 },
    ]);
    expect(await client.artifacts.get(input)).toHaveLength(input.bytes);
    expect(await client.artifacts.get(publicInputs)).toHaveLength(publicInputs.bytes);
  });

  it('hand synthesis back within a second when they stop, without using up an attempt', async () => {
    await start();
    const id = await submit(GOLDEN);
    await reaches(id, (proof) => proof.partitions[0]?.state === 'synthesizing');
    const startedAt = performance.now();
    await worker.stop();
    expect(performance.now() - startedAt).toBeLessThan(1_500);
    closing.length = 0;
    const proof = await readProof(client.redis, id);
    expect(proof?.partitions[0]).toMatchObject({ state: 'queued', failures: { synthesize: 0 } });
    expect((await poolStatus(client.redis, 'host:node-a')).usedBytes).toBe(0);
  });

  it('write spans of every stage into one file', async () => {
    await start({ SPAN_FILE: join(fleet.folder, 'worker-spans.jsonl') });
    const id = await submit(GOLDEN);
    await reaches(id, (proof) => proof.partitions[0]?.state === 'synthesized');
    const file = join(fleet.folder, 'worker-spans.jsonl');
    await eventually(
      () => existsSync(file) && readFileSync(file, 'utf8').includes('cuzk.synthesize.fill'),
    );
  });
});
