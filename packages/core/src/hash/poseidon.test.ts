import { readFileSync } from 'node:fs';
import { sha256 } from '@noble/hashes/sha2.js';
import { describe, expect, it } from 'vitest';
import { toHex } from '../bytes.ts';
import { FR_MODULUS, frToBytes } from '../field/fr.ts';
import { poseidonHash, poseidonHashPlain } from './poseidon.ts';
import { type PoseidonArity, poseidonConstants } from './poseidon-constants.ts';

interface Facts {
  arity: PoseidonArity;
  crc_count: number;
  crc_sha256: string;
  digest_of_0_to_n_minus_1: string;
  domain_tag: string;
  first_raw_constant: string;
  mds_sha256: string;
  partial_rounds: number;
  pre_sparse_sha256: string;
  raw_constants_sha256: string;
  sparse_sha256: string;
  samples: { digest: string; preimage: string[] }[];
}

const facts = JSON.parse(
  readFileSync(new URL('../../vectors/poseidon/poseidon.json', import.meta.url), 'utf8'),
) as Facts[];

const digestOf = (values: readonly bigint[]): string => {
  const hash = sha256.create();
  for (const value of values) hash.update(frToBytes(value));
  return toHex(hash.digest());
};
const big = (hex: string): bigint => BigInt(`0x${hex}`);

it('the facts cover the four arities', () => {
  expect(facts.map((fact) => fact.arity)).toEqual([2, 4, 8, 11]);
});

describe.each(facts)('Poseidon of arity $arity', (fact) => {
  it('derives the constants with the fingerprints of the reference', () => {
    const c = poseidonConstants(fact.arity);
    expect(c.raw[0]).toBe(big(fact.first_raw_constant));
    expect(c.domainTag).toBe(big(fact.domain_tag));
    expect(c.partialRounds).toBe(fact.partial_rounds);
    expect(c.compressed.length).toBe(fact.crc_count);
    expect(digestOf(c.raw)).toBe(fact.raw_constants_sha256);
    expect(digestOf(c.compressed)).toBe(fact.crc_sha256);
    expect(digestOf(c.mds.flat())).toBe(fact.mds_sha256);
    expect(digestOf(c.preSparse.flat())).toBe(fact.pre_sparse_sha256);
    expect(digestOf(c.sparse.flatMap(({ wHat, v }) => [...wHat, ...v]))).toBe(fact.sparse_sha256);
  });

  it('plain and optimised evaluation give the known digests', () => {
    const counting = Array.from({ length: fact.arity }, (_, i) => BigInt(i));
    const samples = [
      { preimage: counting, digest: big(fact.digest_of_0_to_n_minus_1) },
      ...fact.samples.map((s) => ({ preimage: s.preimage.map(big), digest: big(s.digest) })),
    ];
    for (const { preimage, digest } of samples) {
      expect(poseidonHashPlain(preimage)).toBe(digest);
      expect(poseidonHash(preimage)).toBe(digest);
    }
  });

  it('agrees at the ends of the field, and a changed element changes the digest', () => {
    const top = new Array<bigint>(fact.arity).fill(FR_MODULUS - 1n);
    expect(poseidonHash(top)).toBe(poseidonHashPlain(top));
    expect(poseidonHash(top.with(fact.arity - 1, 0n))).not.toBe(poseidonHash(top));
  });
});

it('keeps derived constants and refuses other arities', () => {
  expect(poseidonConstants(2)).toBe(poseidonConstants(2));
  expect(() => poseidonConstants(3 as PoseidonArity)).toThrow(RangeError);
  expect(() => poseidonHash([1n, 2n, 3n])).toThrow(/arity/);
});
