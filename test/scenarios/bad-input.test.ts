import { BROKEN_C1_SECTOR, BROKEN_C1S } from '@cuzk/core/porep/testing/broken-c1';
import { readGoldenCase } from '@cuzk/service-kit/testing/golden-case';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { reaches, Scenario, submit } from './testing/service-processes.ts';

let scenario: Scenario;

beforeAll(async () => {
  scenario = await Scenario.open();
  await scenario.start('api', 'node-a', { INGEST_WAIT_MS: '20000' });
  await scenario.start('synth-worker');
});
afterAll(() => scenario.close());

const matching = (text: string | RegExp) =>
  text instanceof RegExp ? expect.stringMatching(text) : text;
const SECTOR = { miner: BROKEN_C1_SECTOR.miner, sector: BROKEN_C1_SECTOR.sectorId };

describe('a bad C1 is answered with code, pointer, expected and found', () => {
  it.each(BROKEN_C1S)('$name', async (broken) => {
    const { status, body } = await submit(scenario.url, broken.make(), SECTOR);
    expect(body.code).toBe(broken.code);
    expect(status).toBe(body.status);
    expect(status).toBeGreaterThanOrEqual(400);
    expect(status).toBeLessThan(500);
    if (body.proofId === undefined) {
      // Refused by the API at the first sight of the stream, which knows less of the place.
      expect(body.expected).toBeTruthy();
      expect(body.found).toBeTruthy();
      return;
    }
    expect(body).toMatchObject({
      pointer: broken.pointer,
      expected: matching(broken.expected),
      found: matching(broken.found),
    });
    // The same object stands in the record, and nothing was synthesized.
    const proof = await reaches(scenario.url, body.proofId, ['failed']);
    expect(proof.error).toEqual(body);
    expect(proof.partitions).toEqual([]);
  });

  it('of another miner or sector', async () => {
    const { c1 } = readGoldenCase('2KiB-V1_1-a');
    for (const named of [
      { miner: 'f01001', sector: '1' },
      { miner: 'f01000', sector: '2' },
    ]) {
      const { status, body } = await submit(scenario.url, c1, named);
      expect([status, body.code, body.pointer]).toEqual([422, 'C1_INCONSISTENT', '/replica_id']);
    }
  });
});
