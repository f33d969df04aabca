import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import {
  GOLDEN_SECTOR_BYTES,
  goldenFolders,
  installGoldenKey,
  readGoldenCase,
} from '../testing/golden-case.ts';
import { eventually } from '../testing/open-test-service.ts';
import { openVerifier, type Verifier } from './open-verifier.ts';
import { keyPreparation } from './prepare-keys.ts';

const cacheDir = mkdtempSync(join(tmpdir(), 'cuzk-prepare-'));
const verifier = openVerifier();
afterAll(async () => {
  await verifier.close();
  rmSync(cacheDir, { recursive: true, force: true });
});
const folders = goldenFolders(cacheDir);

it('a key that is not there is tried again, one that is there is made ready once, and proofs are told apart after it', async () => {
  const ends: string[] = [];
  const watched: Pick<Verifier, 'run'> = {
    run: async (task, options) => {
      const ended = verifier.run(task, options);
      ended.then(
        ({ verified }) => ends.push(verified ? 'holds' : 'ready'),
        ({ code }) => ends.push(code),
      );
      return ended;
    },
  };
  const prepare = keyPreparation(watched, folders);
  const ask = async (count: number): Promise<void> => {
    prepare(GOLDEN_SECTOR_BYTES, null);
    await eventually(() => ends.length === count);
  };
  await ask(1);
  installGoldenKey(cacheDir);
  await ask(2);
  await ask(2);
  expect(ends).toEqual(['PARAMS_MISSING', 'ready']);

  const [own, other] = (['2KiB-V1_1-a', '2KiB-V1_1-b'] as const).map(readGoldenCase);
  const verify = async (publicInputs: Uint8Array | undefined) =>
    verifier.run({
      task: 'partitions',
      folders,
      sectorBytes: GOLDEN_SECTOR_BYTES,
      parameters: 'insecure-development',
      publicInputs: publicInputs ?? new Uint8Array(0),
      proofs: own?.proof ?? new Uint8Array(0),
    });
  expect((await verify(own?.publicInputs)).verified).toBe(true);
  expect((await verify(other?.publicInputs)).verified).toBe(false);
});
