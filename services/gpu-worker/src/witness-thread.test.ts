import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CompactWitness } from '@cuzk/core/r1cs/compact-witness';
import { encodeCompactWitness } from '@cuzk/core/r1cs/compact-witness-file';
import { sha256 } from '@cuzk/service-kit/circuits/node-hashes';
import { ThreadPool } from '@cuzk/service-kit/threads/thread-pool';
import { afterAll, expect, it } from 'vitest';
import type { WitnessFile } from './child-protocol.ts';

const folder = mkdtempSync(join(tmpdir(), 'cuzk-witness-'));
const reader = new ThreadPool<WitnessFile, never, CompactWitness>(
  new URL('../dist/witness-thread.js', import.meta.url),
  1,
);
afterAll(async () => {
  await reader.close();
  rmSync(folder, { recursive: true, force: true });
});

const witness: CompactWitness = {
  circuitId: 'circuit',
  shapeDigest: 'ab'.repeat(32),
  inputs: Uint8Array.from({ length: 64 }, (_, i) => i),
  bitPlane: Uint32Array.from({ length: 4 }, (_, i) => i),
  elements: Uint32Array.from({ length: 24 }, (_, i) => 7 * i),
};
const whole = Buffer.concat(encodeCompactWitness({ witness, aux: 128, run: 'r' }, sha256));

/** A file of these bytes, and an artifact that promises those. */
function stored(bytes: Uint8Array, promised = bytes): WitnessFile {
  const path = join(folder, 'witness');
  writeFileSync(path, bytes);
  const digest = createHash('sha256').update(promised).digest('hex');
  return { path, artifact: { ref: 'w', bytes: promised.length, sha256: digest } };
}

it('gives the witness of a file, in memory of its own', async () => {
  expect(await reader.run(stored(whole))).toEqual(witness);
});

it('refuses every byte that is not the promised one, and files of another length', async () => {
  for (const at of [0, 100, whole.length - 1]) {
    const damaged = Uint8Array.from(whole);
    damaged[at] = (damaged[at] as number) ^ 1;
    await expect(reader.run(stored(damaged, whole))).rejects.toMatchObject({
      code: 'ARTIFACT_DIGEST_MISMATCH',
    });
  }
  for (const other of [whole.subarray(0, 100), Buffer.concat([whole, whole]), Buffer.alloc(0)]) {
    await expect(reader.run(stored(other, whole))).rejects.toMatchObject({
      code: 'ARTIFACT_DIGEST_MISMATCH',
    });
  }
});

it('names a file that is gone, and one that holds no witness though it is the promised one', async () => {
  const { artifact } = stored(whole);
  await expect(reader.run({ path: join(folder, 'none'), artifact })).rejects.toMatchObject({
    code: 'ARTIFACT_MISSING',
  });
  await expect(reader.run(stored(Buffer.from('no witness at all')))).rejects.toMatchObject({
    code: 'WITNESS_MALFORMED',
  });
});
