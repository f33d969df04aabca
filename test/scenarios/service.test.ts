import { poolStatus } from '@cuzk/service-kit/permits/permits';
import { readGoldenCase } from '@cuzk/service-kit/testing/golden-case';
import { startGoldenProver } from '@cuzk/service-kit/testing/golden-prover';
import { eventually } from '@cuzk/service-kit/testing/open-test-service';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { reaches, Scenario, ServiceProcess, submit } from './testing/service-processes.ts';

let scenario: Scenario;
const closing: (() => Promise<void>)[] = [];
const GOLDEN = readGoldenCase('2KiB-V1_1-a');
const SECTOR = { miner: 'f01000', sector: '1' };

beforeEach(async () => {
  scenario = await Scenario.open({ durable: true });
});
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
  await scenario.close();
});

async function prover(node = 'gpu-a'): Promise<void> {
  const stage = await startGoldenProver(await scenario.join('gpu-worker', node));
  closing.push(() => stage.drain());
}

async function resultOf(proofId: unknown): Promise<Buffer> {
  const response = await fetch(`${scenario.url}/v1/proofs/${proofId}/result`, {
    headers: { accept: 'application/octet-stream' },
  });
  expect(response.headers.get('x-cuzk-parameters')).toBe('insecure-development');
  return Buffer.from(await response.arrayBuffer());
}

/**
 * What must hold when everything is over. Jobs of a killed worker stay active until their lock runs out (30 s)
 * and are dropped then: their units have passed to others.
 */
async function assertClean(): Promise<void> {
  const service = await scenario.join('api', 'observer');
  expect((await poolStatus(service.redis, 'handoff')).usedBytes).toBe(0);
  await eventually(async () => {
    const depths = await service.queues.depths();
    return depths.every(({ queue, waiting }) => queue === 'maintenance' || waiting === 0);
  });
}

describe('the service', () => {
  it('takes a C1 and gives back the proof of bellperson, verified', async () => {
    await scenario.start('api');
    await scenario.start('synth-worker');
    const before = await fetch(`${scenario.url}/readyz`);
    expect([before.status, await before.text()]).toEqual([
      503,
      expect.stringContaining('no gpu-worker'),
    ]);
    await prover();
    expect((await fetch(`${scenario.url}/readyz`)).status).toBe(200);

    const { status, body } = await submit(scenario.url, GOLDEN.c1, SECTOR);
    expect(status).toBe(202);
    const events = await fetch(`${scenario.url}/v1/proofs/${body.proofId}/events`);
    const told = await events.text();
    expect(told).toContain('"state":"succeeded"');
    const result = await resultOf(body.proofId);
    expect(result.equals(Buffer.from(GOLDEN.proof))).toBe(true);

    const { registeredProof, commR, commD, ticket, seed } = GOLDEN;
    const verify = await fetch(`${scenario.url}/v1/verify`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        ...{ registeredProof, commR, commD, ticket, seed },
        ...{ miner: 'f01000', sector: '1', proof: result.toString('base64') },
      }),
    });
    expect(await verify.json()).toEqual({ verified: true, parameters: 'insecure-development' });
    await assertClean();
  });

  it('joins a storm of the same submission into one proof', async () => {
    await scenario.start('api');
    await scenario.start('synth-worker');
    const storm = Array.from({ length: 20 }, () => submit(scenario.url, GOLDEN.c1, SECTOR));
    const answers = await Promise.all(storm);
    expect(new Set(answers.map(({ body }) => body.proofId)).size).toBe(1);
    expect(answers.every(({ status }) => status === 202)).toBe(true);
  });

  it('goes on after the kill of the synth-worker that held a partition', {
    timeout: 120_000,
  }, async () => {
    await scenario.start('api');
    const dying = await scenario.start('synth-worker', 'node-a');
    const { body } = await submit(scenario.url, GOLDEN.c1, SECTOR);
    await eventually(async () => {
      const proof = await reaches(scenario.url, body.proofId, ['running', 'queued']);
      return (proof.partitions as { state: string }[])[0]?.state === 'synthesizing';
    });
    await dying.end('SIGKILL');
    const killedAt = performance.now();
    await scenario.start('synth-worker', 'node-b', { RECONNECT_QUIET_MS: '0' });
    await prover();
    const proof = await reaches(scenario.url, body.proofId, ['succeeded', 'failed'], 60_000);
    const tookMs = Math.round(performance.now() - killedAt);
    console.log(`proof succeeded ${tookMs} ms after its worker was killed`);
    expect(proof.state).toBe('succeeded');
    expect((proof.partitions as object[])[0]).toMatchObject({
      losses: 1,
      failures: { synthesize: 0, prove: 0 },
    });
    expect(tookMs).toBeLessThan(30_000);
    await assertClean();
  });

  it('keeps an accepted proof when every process and Redis are killed', {
    timeout: 120_000,
  }, async () => {
    const api = await scenario.start('api');
    const worker = await scenario.start('synth-worker');
    const { status, body } = await submit(scenario.url, GOLDEN.c1, SECTOR);
    expect(status).toBe(202);
    await Promise.all([api.end('SIGKILL'), worker.end('SIGKILL')]);
    await scenario.redis.kill();
    await scenario.redis.restart();
    await scenario.start('api');
    await scenario.start('synth-worker', 'node-b', { RECONNECT_QUIET_MS: '0' });
    await prover();
    const proof = await reaches(scenario.url, body.proofId, ['succeeded', 'failed'], 90_000);
    expect(proof.state).toBe('succeeded');
    expect((await resultOf(body.proofId)).equals(Buffer.from(GOLDEN.proof))).toBe(true);
    await assertClean();
  });

  it('lives through a restart of Redis while it works', { timeout: 120_000 }, async () => {
    await scenario.start('api');
    await scenario.start('synth-worker');
    const { body } = await submit(scenario.url, GOLDEN.c1, SECTOR);
    await scenario.redis.kill();
    expect((await fetch(`${scenario.url}/v1/proofs/${body.proofId}`)).status).toBe(503);
    await new Promise((resolve) => setTimeout(resolve, 2_000));
    await scenario.redis.restart();
    await prover();
    const proof = await reaches(scenario.url, body.proofId, ['succeeded', 'failed'], 90_000);
    expect(proof.state).toBe('succeeded');
    await assertClean();
  });

  it('stops on SIGTERM in order: work handed back at once, exit 0, no attempt used up', async () => {
    const api = await scenario.start('api');
    const worker = await scenario.start('synth-worker');
    const { body } = await submit(scenario.url, GOLDEN.c1, SECTOR);
    await eventually(async () => {
      const proof = await reaches(scenario.url, body.proofId, ['running', 'queued']);
      return (proof.partitions as { state: string }[])[0]?.state === 'synthesizing';
    });
    const ended = await worker.end('SIGTERM');
    expect(ended.code).toBe(0);
    expect(ended.tookMs).toBeLessThan(1_500);
    await prover();
    await scenario.start('synth-worker', 'node-b');
    const proof = await reaches(scenario.url, body.proofId, ['succeeded', 'failed'], 30_000);
    expect(proof.state).toBe('succeeded');
    expect((proof.partitions as object[])[0]).toMatchObject({
      losses: 0,
      failures: { synthesize: 0 },
    });
    expect(await api.end('SIGTERM')).toMatchObject({ code: 0 });
    expect(worker.log).not.toContain('ommR');
  });

  it.each([
    ['api', { PORT: '-1', MAX_BODY_BYTES: '0', LOG_LEVEL: 'loud' }],
    ['synth-worker', { REDIS_URL: 'http://x', SYNTH_THREADS: '1000', HANDOFF_BYTES: '-5' }],
    ['gpu-worker', { SIMULATED_DEVICES: '65', GPU_MEMORY_LIMIT: 'much', DEVICE_HANG_MS: 'x' }],
  ] as const)(
    '%s does not start with settings out of range, and names all of them',
    async (name, settings) => {
      const broken = new ServiceProcess(name, settings);
      await eventually(() => !broken.running);
      const reports = broken.log.split('\n').filter((line) => line.includes('CONFIG_INVALID'));
      expect(reports).toHaveLength(1);
      for (const setting of Object.keys(settings)) expect(reports[0]).toContain(setting);
      expect((await broken.end('SIGKILL')).code).toBe(78);
    },
  );
});
