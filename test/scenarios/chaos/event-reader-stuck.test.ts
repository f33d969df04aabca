import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { readGoldenCase } from '@cuzk/service-kit/testing/golden-case';
import { startGoldenProver } from '@cuzk/service-kit/testing/golden-prover';
import { afterEach, expect, it } from 'vitest';
import { reaches, Scenario, submit } from '../testing/service-processes.ts';

let scenario: Scenario;
const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
  await scenario.close();
});

const READERS = 100;
const residentMiB = (pid: number): number =>
  (4_096 * Number(readFileSync(`/proc/${pid}/statm`, 'utf8').split(' ')[1])) / 2 ** 20;

/**
 * Breaks: a hundred readers follow the events of a proof and never read a byte (the receivers of results that other
 * services notify by a webhook; here nobody is called, so nobody can hold anything up).
 * Holds: the proof goes on and ends; memory of the API stays; it stops within a moment.
 */
it('readers of events that do not read hold nothing up', async () => {
  scenario = await Scenario.open();
  const api = await scenario.start('api');
  await scenario.start('synth-worker');
  const { c1 } = readGoldenCase('2KiB-V1_1-a');
  const { body } = await submit(scenario.url, c1, { miner: 'f01000', sector: '1' });
  const { hostname, port } = new URL(scenario.url);
  const before = residentMiB(api.pid);
  for (let i = 0; i < READERS; i++) {
    const socket = connect(Number(port), hostname);
    socket.pause();
    socket.on('error', () => {});
    socket.write(`GET /v1/proofs/${body.proofId}/events HTTP/1.1\r\nhost: x\r\n\r\n`);
    closing.push(() => socket.destroy());
  }
  const prover = await startGoldenProver(await scenario.join('gpu-worker', 'gpu-a'));
  closing.push(() => prover.drain());
  const done = await reaches(scenario.url, body.proofId, ['succeeded', 'failed']);
  expect(done.state).toBe('succeeded');
  const after = residentMiB(api.pid);
  console.log(`API: ${before.toFixed(0)} MiB before, ${after.toFixed(0)} MiB after`);
  expect(after - before).toBeLessThan(60);
  const { code, tookMs } = await api.end('SIGTERM');
  expect([code, tookMs < 3_000]).toEqual([0, true]);
});
