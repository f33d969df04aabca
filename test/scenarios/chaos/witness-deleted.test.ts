import { afterEach, expect, it } from 'vitest';
import { ChaosFleet } from '../testing/chaos-fleet.ts';

let fleet: ChaosFleet;
afterEach(() => fleet.close());

/**
 * Breaks: a witness vanishes from the store before a prover takes it.
 * Holds: it is made again; the proof succeeds.
 */
it('a witness that is gone is made again', async () => {
  fleet = await ChaosFleet.open({ cpu: { partitions: 1 } });
  await fleet.cpu();
  const id = await fleet.submit();
  await fleet.partitionIs(id, 'synthesized');
  const { witness } = (await fleet.read(id)).partitions[0] ?? {};
  expect(await fleet.service.artifacts.delete(String(witness?.ref))).toBe(true);
  await fleet.prover();
  const [proof] = await fleet.allSucceeded();
  expect(proof?.partitions[0]?.problem?.code).toBe('ARTIFACT_MISSING');
});
