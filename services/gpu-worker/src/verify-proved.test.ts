import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  GOLDEN_SECTOR_BYTES,
  goldenFolders,
  installGoldenKey,
  readGoldenCase,
} from '@cuzk/service-kit/testing/golden-case';
import { openVerifier } from '@cuzk/service-kit/threads/open-verifier';
import { afterAll, expect, it } from 'vitest';
import { verifyProved } from './verify-proved.ts';

const cacheDir = mkdtempSync(join(tmpdir(), 'cuzk-verify-'));
installGoldenKey(cacheDir);
const verifier = openVerifier();
afterAll(async () => {
  await verifier.close();
  rmSync(cacheDir, { recursive: true, force: true });
});

const folders = goldenFolders(cacheDir);
const { publicInputs, proof } = readGoldenCase('2KiB-V1_1-a');
const verify = (proved: { publicInputs: Uint8Array; proof: Uint8Array }, allowed = true) =>
  verifyProved(verifier, { ...folders, allowDevelopmentParams: allowed })(
    GOLDEN_SECTOR_BYTES,
    'insecure-development',
    proved,
  );

it('a proof that holds is true', async () => {
  expect(await verify({ publicInputs, proof })).toBe(true);
});

it('a proof of something else, and bytes that are no points, are false and no error', async () => {
  const other = readGoldenCase('2KiB-V1_1-b');
  expect(await verify({ publicInputs: other.publicInputs, proof })).toBe(false);
  for (const bytes of [new Uint8Array(192), new Uint8Array(192).fill(0xff)]) {
    expect(await verify({ publicInputs, proof: bytes })).toBe(false);
  }
});

it('a key that may not be used is an error, not a bad proof', async () => {
  await expect(verify({ publicInputs, proof }, false)).rejects.toMatchObject({
    code: 'PARAMS_INSECURE',
  });
});
