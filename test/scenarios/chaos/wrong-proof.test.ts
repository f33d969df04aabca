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

const ONE = readGoldenCase('2KiB-V1_1-a');
const OTHER = readGoldenCase('2KiB-V1_1-b');
const send = ({ c1, minerId, sectorNumber }: typeof ONE) =>
  submit(scenario.url, c1, { miner: minerId, sector: sectorNumber });

/**
 * Breaks: a GPU gives the proof of another statement: well-formed bytes that do not verify, past its own check.
 * Holds: the check of the whole finds the partition, names the GPU, has it proved elsewhere, and the client gets a
 * proof that verifies; the GPU takes nothing more until its self-test has passed.
 */
it('a wrong proof is caught, blamed on its GPU and made again elsewhere', async () => {
  scenario = await Scenario.open();
  await scenario.start('api');
  await scenario.start('synth-worker');
  const liar = await scenario.join('gpu-worker', 'gpu-liar');
  let tested = 0;
  let sound = false;
  const lying = await startGoldenProver(liar, {
    change: () => OTHER.proof,
    selfTest: async () => {
      tested += 1;
      return sound;
    },
  });
  closing.push(() => lying.drain());
  const { body } = await send(ONE);
  const id = body.proofId;
  const observer = await scenario.join('api', 'observer');
  // Nobody else is there: the partition waits, and the GPU that lied is set aside.
  await eventually(
    async () => (await observer.redis.hkeys('{cuzk}:suspects')).includes(liar.identity.name),
    60_000,
  );
  await eventually(() => tested > 0, 20_000);
  const waiting = await reaches(scenario.url, id, ['running']);
  expect((waiting.partitions as { state: string }[])[0]?.state).not.toBe('proved');

  const honest = await scenario.join('gpu-worker', 'gpu-honest');
  const proving = await startGoldenProver(honest);
  closing.push(() => proving.drain());
  const done = await reaches(scenario.url, id, ['succeeded', 'failed']);
  expect(done.state).toBe('succeeded');
  expect((done.partitions as object[])[0]).toMatchObject({
    worker: honest.identity.name,
    failures: { prove: 1 },
    problem: { code: 'PROOF_SELF_CHECK_FAILED' },
  });
  const result = await fetch(`${scenario.url}/v1/proofs/${id}/result`, {
    headers: { accept: 'application/octet-stream' },
  });
  expect(Buffer.from(await result.arrayBuffer()).equals(Buffer.from(ONE.proof))).toBe(true);
  const events = await (
    await fetch(`${scenario.url}/v1/proofs/${id}/events`, {
      headers: { accept: 'application/json' },
    })
  ).text();
  expect(events).toContain('"rejected":[0]');

  // The suspicion ends with a self-test that passes, and only then; it is asked for when the next unit comes by.
  expect(await observer.redis.hexists('{cuzk}:suspects', liar.identity.name)).toBe(1);
  await proving.drain();
  closing.pop();
  sound = true;
  await send(OTHER);
  await eventually(
    async () => (await observer.redis.hexists('{cuzk}:suspects', liar.identity.name)) === 0,
    60_000,
  );
});
