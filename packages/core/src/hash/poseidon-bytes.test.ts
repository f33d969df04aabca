import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { bigintFromLe } from '../bytes.ts';
import { FR_MODULUS, frToBytes } from '../field/fr.ts';
import { poseidonHash } from './poseidon.ts';
import { poseidonBytes } from './poseidon-bytes.ts';
import { type PoseidonArity, poseidonConstants } from './poseidon-constants.ts';

interface Facts {
  arity: PoseidonArity;
  samples: { digest: string; preimage: string[] }[];
}

const facts = JSON.parse(
  readFileSync(new URL('../../vectors/poseidon/poseidon.json', import.meta.url), 'utf8'),
) as Facts[];

const hash = (preimage: readonly bigint[]): bigint =>
  bigintFromLe(poseidonBytes(preimage.map(frToBytes)));

const element = fc.oneof(
  fc.constantFrom(0n, 1n, 2n, FR_MODULUS - 1n, FR_MODULUS - 2n, 2n ** 29n - 1n, 2n ** 232n),
  fc.bigInt({ min: 0n, max: FR_MODULUS - 1n }),
);

describe.each(facts)('Poseidon in WebAssembly, arity $arity', ({ arity, samples }) => {
  it('gives the known digests', () => {
    expect(samples.length).toBeGreaterThan(0);
    for (const { preimage, digest } of samples) {
      expect(hash(preimage.map((hex) => BigInt(`0x${hex}`)))).toBe(BigInt(`0x${digest}`));
    }
  });

  it('equals the bigint evaluation', () => {
    const preimages = fc.array(element, { minLength: arity, maxLength: arity });
    fc.assert(
      fc.property(preimages, (preimage) => {
        expect(hash(preimage)).toBe(poseidonHash(preimage));
      }),
      { numRuns: 60, examples: [0n, 1n, FR_MODULUS - 1n].map((x) => [Array(arity).fill(x)]) },
    );
  });

  it('equals it where S-boxes of the first round take zero', () => {
    const { compressed } = poseidonConstants(arity);
    const preimage = Array.from({ length: arity }, (_, i) => FR_MODULUS - compressed[i + 1]);
    expect(hash(preimage)).toBe(poseidonHash(preimage));
  });
});

it('refuses other counts and lengths', () => {
  const zero = new Uint8Array(32);
  expect(() => poseidonBytes([zero, zero, zero])).toThrow(/arity: expected 2, 4, 8 or 11, got 3/);
  expect(() => poseidonBytes([])).toThrow(RangeError);
  expect(() => poseidonBytes(new Array(12).fill(zero))).toThrow(RangeError);
  expect(() => poseidonBytes([zero, zero.subarray(1)])).toThrow(/expected 32 bytes, got 31/);
});

it('gives digests that later calls do not change', () => {
  const [one, two] = [frToBytes(1n), frToBytes(2n)];
  const first = poseidonBytes([one, two]);
  const copy = first.slice();
  expect(poseidonBytes([two, one])).not.toEqual(first);
  expect(first).toEqual(copy);
});
