import { readGoldenCase } from '@cuzk/service-kit/testing/golden-case';
import { startGoldenProver } from '@cuzk/service-kit/testing/golden-prover';
import { freePort } from '@cuzk/service-kit/testing/redis-server';
import { afterEach, expect, it } from 'vitest';
import { reaches, Scenario, submit } from '../testing/service-processes.ts';

let scenario: Scenario;
const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
  await scenario.close();
});

/**
 * Breaks: the same C1 is submitted sixty times at once, half of them at each of two API processes, some with an
 * idempotency key.
 * Holds: one proof; nobody gets an error but those whose own request with that key is still under way (409).
 */
it('a storm of the same submission at two API processes is one proof', async () => {
  scenario = await Scenario.open();
  const { c1 } = readGoldenCase('2KiB-V1_1-a');
  const port = await freePort();
  await scenario.start('api', 'node-a');
  await scenario.start('api', 'node-b', { PORT: String(port) });
  await scenario.start('synth-worker');
  const urls = [scenario.url, `http://127.0.0.1:${port}`];
  const answers = await Promise.all(
    Array.from({ length: 60 }, (_, i) =>
      submit(urls[i % 2] as string, c1, {
        ...{ miner: 'f01000', sector: '1' },
        ...(i % 3 === 0 ? { idempotencyKey: `key ${i % 4}` } : {}),
      }),
    ),
  );
  const count = (status: number) => answers.filter((answer) => answer.status === status).length;
  console.log(`202: ${count(202)}, 409 (the same key is under way): ${count(409)}`);
  expect(count(202) + count(409)).toBe(60);
  expect(count(202)).toBeGreaterThanOrEqual(40);
  const ids = new Set(
    answers.filter(({ status }) => status === 202).map(({ body }) => body.proofId),
  );
  expect(ids.size).toBe(1);
  const prover = await startGoldenProver(await scenario.join('gpu-worker', 'gpu-a'));
  closing.push(() => prover.drain());
  const [id] = ids;
  expect((await reaches(scenario.url, id, ['succeeded', 'failed'])).state).toBe('succeeded');
  const observer = await scenario.join('api', 'observer');
  const left: string[] = [];
  for await (const { ref } of observer.artifacts.list('proofs/')) {
    if (!ref.startsWith(`proofs/${id}/`)) left.push(ref);
  }
  expect(left, 'C1s of requests that joined').toEqual([]);
});
