import { request } from 'node:http';
import { readGoldenCase } from '@cuzk/service-kit/testing/golden-case';
import { startGoldenProver } from '@cuzk/service-kit/testing/golden-prover';
import { eventually } from '@cuzk/service-kit/testing/open-test-service';
import { afterEach, expect, it } from 'vitest';
import { reaches, Scenario, submit } from '../testing/service-processes.ts';

let scenario: Scenario;
const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
  await scenario.close();
});

const { c1, proof: goldenProof } = readGoldenCase('2KiB-V1_1-a');
const SECTOR = { miner: 'f01000', sector: '1' };
const KEYED = { ...SECTOR, idempotencyKey: 'once' };

/** Sends these bytes of a C1 and leaves the request open; resolves when the connection breaks. */
function sendAndWait(url: string, bytes: Uint8Array, whole: boolean): { broken: Promise<void> } {
  const sent = request(`${url}/v1/proofs?miner=f01000&sector=1`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'idempotency-key': KEYED.idempotencyKey },
  });
  const broken = new Promise<void>((resolve) => sent.once('error', () => resolve()));
  sent.write(bytes);
  if (whole) sent.end();
  return { broken };
}

/**
 * Breaks: the API is killed (-9) while a C1 comes in, and again when it has written the record and waits for the
 * verdict.
 * Holds: half a C1 leaves no proof; an accepted one is there after the restart; the client's repetition with the same
 * idempotency key gets that proof, and it is proved once.
 */
it('a request that was cut off is repeated, and is one proof', async () => {
  scenario = await Scenario.open({ durable: true });
  const observer = await scenario.join('api', 'observer');
  const settings = { INGEST_WAIT_MS: '30000' };
  const first = await scenario.start('api', 'node-a', settings);
  const half = sendAndWait(scenario.url, c1.subarray(0, c1.length / 2), false);
  await eventually(async () => (await observer.redis.keys('{cuzk}:idempotency:*')).length === 1);
  await first.end('SIGKILL');
  await half.broken;
  expect(await observer.redis.zcard('{cuzk}:live')).toBe(0);
  // Its mark ends by itself after 30 s; here at once.
  await observer.redis.del(await observer.redis.keys('{cuzk}:idempotency:*'));

  const second = await scenario.start('api', 'node-a', settings);
  const whole = sendAndWait(scenario.url, c1, true);
  await eventually(async () => (await observer.redis.zcard('{cuzk}:live')) === 1);
  const [accepted] = await observer.redis.zrange('{cuzk}:live', '0', '-1');
  await second.end('SIGKILL');
  await whole.broken;

  await scenario.start('api');
  await scenario.start('synth-worker');
  const prover = await startGoldenProver(await scenario.join('gpu-worker', 'gpu-a'));
  closing.push(() => prover.drain());
  const { status, body } = await submit(scenario.url, c1, KEYED);
  expect([status, body.proofId, body.joined]).toEqual([202, accepted, true]);
  expect((await reaches(scenario.url, accepted, ['succeeded', 'failed'])).state).toBe('succeeded');
  const result = await fetch(`${scenario.url}/v1/proofs/${accepted}/result`, {
    headers: { accept: 'application/octet-stream' },
  });
  expect(Buffer.from(await result.arrayBuffer()).equals(Buffer.from(goldenProof))).toBe(true);
  const listed = await (await fetch(`${scenario.url}/v1/proofs`)).json();
  expect((listed as { proofs: unknown[] }).proofs).toHaveLength(1);
});
