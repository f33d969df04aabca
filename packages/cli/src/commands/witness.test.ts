import { existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { readGolden, repositoryFile, runJson } from '../testing/run-program.ts';

interface GoldenWitness {
  readonly partitions: readonly {
    readonly public_inputs_le_hex: readonly string[];
    readonly aux: { readonly sha256: string };
    readonly a: { readonly sha256: string };
    readonly b: { readonly sha256: string };
    readonly c: { readonly sha256: string };
  }[];
}

const QUICK = '2KiB-V1_1-a';
const SLOW = ['2KiB-V1-a', '2KiB-V1_1-b', '2KiB-Synthetic-a', '8MiB-V1_1-a'];
const slow = process.env.SLOW === '1';
if (!slow) console.log(`cuzk witness: ${SLOW.join(', ')} are compared with SLOW=1 only`);

/** Path of the case's C1; the larger ones are unpacked into a temporary folder first. */
function c1File(name: string): string {
  const plain = repositoryFile(`examples/c1/${name}/c1.json`);
  if (existsSync(plain)) return plain;
  const packed = readFileSync(repositoryFile(`packages/core/vectors/c1/${name}/c1.json.gz`));
  const file = join(mkdtempSync(join(tmpdir(), 'cuzk-witness-')), 'c1.json');
  writeFileSync(file, gunzipSync(packed));
  return file;
}

describe('cuzk witness', () => {
  it.each(slow ? [QUICK, ...SLOW] : [QUICK])('gives the golden digests of %s', async (name) => {
    const file = c1File(name);
    const golden = readGolden(`witness/${name}.json.gz`) as unknown as GoldenWitness;
    const { value, exitCode } = await runJson(['witness', file]);
    expect(exitCode).toBe(0);
    expect(value.partitions).toEqual(
      golden.partitions.map((partition) => ({
        publicInputs: partition.public_inputs_le_hex,
        auxSha256: partition.aux.sha256,
        aSha256: partition.a.sha256,
        bSha256: partition.b.sha256,
        cSha256: partition.c.sha256,
      })),
    );
  });
});
