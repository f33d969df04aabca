import { truncateSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { ChaosFleet } from '../testing/chaos-fleet.ts';

let fleet: ChaosFleet;
afterEach(() => fleet.close());

/**
 * Breaks: a witness in the store is cut to half its length before a prover takes it.
 * Holds: the prover notices by the digest; the witness is made again; the proof succeeds.
 */
it('a truncated witness is noticed and made again', async () => {
  fleet = await ChaosFleet.open({ cpu: { partitions: 1 } });
  await fleet.cpu();
  const id = await fleet.submit();
  await fleet.partitionIs(id, 'synthesized');
  const { witness } = (await fleet.read(id)).partitions[0] ?? {};
  truncateSync(join(fleet.folder, 'artifacts', String(witness?.ref)), 100);
  await fleet.prover();
  const [proof] = await fleet.allSucceeded();
  expect(proof?.partitions[0]?.attempts).toEqual({ synthesize: 2, prove: 2 });
  expect(proof?.partitions[0]?.problem?.code).toBe('ARTIFACT_DIGEST_MISMATCH');
});
