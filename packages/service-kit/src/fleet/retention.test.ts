import { mkdtempSync, rmSync, utimesSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { openFolderStore } from '../artifacts/folder-store.ts';
import { c1Ref, inputRef, publicInputsRef, resultRef, witnessRef } from '../artifacts/names.ts';
import type { ArtifactStore } from '../artifacts/types.ts';
import { submitResult } from '../record/changes.ts';
import { readProof } from '../record/read-proof.ts';
import { cancelRun } from '../record/run-control.ts';
import { TestRedis } from '../testing/redis-server.ts';
import {
  artifact,
  ingested,
  mustClaim,
  only,
  proved,
  SYNTH,
  synthesized,
} from '../testing/sample-proof.ts';
import { dispatchAll } from './dispatcher.ts';
import { deleteProofArtifacts, sweepRetention } from './retention.ts';

const HOUR_MS = 3_600_000;
const LIMITS = { c1KeptMs: HOUR_MS, recordKeptMs: 24 * HOUR_MS };

let server: TestRedis;
let redis: Redis;
let folder: string;
let store: ArtifactStore;

beforeAll(async () => {
  server = await TestRedis.start();
  redis = new Redis(server.url);
});
afterAll(async () => {
  redis.disconnect();
  await server.stop();
});
beforeEach(async () => {
  await redis.flushall();
  folder = mkdtempSync(join(tmpdir(), 'cuzk-retention-'));
  store = await openFolderStore(folder);
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Stores an artifact as if it had been written so long before now. */
async function stored(ref: string, ageMs = 2 * HOUR_MS): Promise<void> {
  await store.put(ref, Buffer.from(ref));
  const at = new Date(Date.now() - ageMs);
  utimesSync(join(folder, ref), at, at);
}
const left = async (): Promise<string[]> => {
  const refs: string[] = [];
  for await (const { ref } of store.list('')) refs.push(ref);
  return refs;
};
const sweep = (laterMs = 0) => sweepRetention(redis, store, LIMITS, Date.now() + laterMs);

async function succeeded(): Promise<string> {
  const id = await ingested(redis, 1);
  const { units } = await dispatchAll(redis, { handoffBytes: 1e9, window: 10 });
  const { next } = await proved(redis, await synthesized(redis, only(units)));
  const claim = await mustClaim(redis, only(next), SYNTH);
  const result = { ...artifact('x'), ref: `proofs/${id}/r1/proof.a1.bin` };
  await submitResult(redis, claim.fence, result, 'production');
  return id;
}

describe('retention', () => {
  it('keeps what a live record names, and drops what it no longer names', async () => {
    const id = await ingested(redis, 1);
    await redis.hset(
      `{cuzk}:proof:${id}`,
      'p0.witness',
      JSON.stringify(artifact(`proofs/${id}/r1/w2`)),
    );
    for (const name of ['c1.json', 'r1/w1', 'r1/w2']) await stored(`proofs/${id}/${name}`);
    await stored(`proofs/${id}/r1/w3`, 1000);
    expect((await sweep()).artifacts).toBe(1);
    expect(await left()).toEqual(
      ['c1.json', 'r1/w2', 'r1/w3'].map((name) => `proofs/${id}/${name}`),
    );
  });

  it('drops the witness of a proved partition', async () => {
    const id = await ingested(redis, 2);
    const { units } = await dispatchAll(redis, { handoffBytes: 1e9, window: 10 });
    await proved(redis, await synthesized(redis, units[0] as never));
    await redis.hset(
      `{cuzk}:proof:${id}`,
      'p0.witness',
      JSON.stringify(artifact(`proofs/${id}/w0`)),
    );
    await stored(`proofs/${id}/w0`);
    await sweep();
    expect(await left()).toEqual([]);
  });

  it('keeps C1 an hour and the result a day after success, then forgets the record', async () => {
    const id = await succeeded();
    for (const name of ['c1.json', 'r1/p00/input.a1.czpi', 'r1/proof.a1.bin']) {
      await stored(`proofs/${id}/${name}`);
    }
    await sweep();
    expect(await left()).toEqual([`proofs/${id}/c1.json`, `proofs/${id}/r1/proof.a1.bin`]);
    await sweep(HOUR_MS + 1000);
    expect(await left()).toEqual([`proofs/${id}/r1/proof.a1.bin`]);
    expect(await readProof(redis, id)).not.toBeNull();
    const last = await sweep(24 * HOUR_MS + 1000);
    expect(last).toEqual({ artifacts: 1, records: 1, withoutRecord: 0 });
    expect(await readProof(redis, id)).toBeNull();
  });

  it('goes by the clock of Redis: a worker that is a year ahead drops nothing before its time', async () => {
    const id = await succeeded();
    const kept = ['c1.json', 'r1/proof.a1.bin'].map((name) => `proofs/${id}/${name}`);
    for (const ref of kept) await stored(ref);
    await stored('proofs/prf_new/c1.json', 1000);
    vi.setSystemTime(Date.now() + 365 * 24 * HOUR_MS);
    await sweepRetention(redis, store, LIMITS).finally(() => vi.useRealTimers());
    expect(await left()).toEqual([...kept, 'proofs/prf_new/c1.json'].toSorted());
    expect(await readProof(redis, id)).not.toBeNull();
  });

  it('drops everything of a cancelled proof', async () => {
    const id = await ingested(redis, 1);
    await stored(`proofs/${id}/c1.json`, 0);
    await cancelRun(redis, id, 'cancelled');
    await stored('proofs/prf_new/c1.json', 1000);
    await sweep();
    expect(await left()).toEqual(['proofs/prf_new/c1.json']);
    expect(await deleteProofArtifacts(store, 'prf_new')).toBe(1);
  });

  it('keeps of a proof whose record Redis has lost all that nobody can make again, as long as the record would be', async () => {
    const id = await succeeded();
    const fence = { proofId: id, run: 1, stage: 'finalize', partition: null, attempt: 1 } as const;
    const ofProof = { ...fence, owner: 'worker' };
    const lasting = [c1Ref(id), publicInputsRef(ofProof), resultRef(ofProof)];
    const madeAgain = [inputRef(ofProof, 0), witnessRef({ ...ofProof, partition: 0 })];
    for (const ref of [...lasting, ...madeAgain]) await stored(ref);
    await redis.flushall();
    expect(await sweep()).toEqual({ artifacts: 2, records: 0, withoutRecord: 3 });
    expect(await left()).toEqual(lasting.toSorted());
    // two hours old already
    await sweep(21 * HOUR_MS);
    expect(await left()).toEqual(lasting.toSorted());
    expect(await sweep(22 * HOUR_MS + 1000)).toMatchObject({ artifacts: 3, withoutRecord: 0 });
  });
});
