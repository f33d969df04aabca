import { describe, expect, it } from 'vitest';
import { fromHex, toHex } from '../bytes.ts';
import { FR_MODULUS } from '../field/fr.ts';
import { assembleProof } from './assemble.ts';
import { developmentBlinding } from './development-waste.ts';
import { encodeProof } from './proof.ts';
import {
  fromBeHex,
  GOLDEN_PROOF_CASES,
  goldenBytes,
  goldenJson,
  goldenKeyOf,
  goldenProof,
  type ProofIntermediate,
  querySumsOf,
} from './testing/golden.ts';
import { decodeVerifyingKey } from './verifying-key.ts';

interface Case {
  name: string;
  key: Uint8Array;
  proof: string;
  r: bigint;
  s: bigint;
  intermediate: ProofIntermediate;
}

const partitions = GOLDEN_PROOF_CASES.flatMap((name) =>
  goldenProof(name).partitions.flatMap(({ intermediate, proof, r_be_hex, s_be_hex }): Case[] =>
    intermediate === undefined
      ? []
      : [
          {
            name,
            key: goldenKeyOf(name),
            proof,
            r: fromBeHex(r_be_hex),
            s: fromBeHex(s_be_hex),
            intermediate,
          },
        ],
  ),
);
const small = ['poseidon2', 'sha256-node'].map((name): Case => {
  const golden = goldenJson<{
    proof: string;
    r_be_hex: string;
    s_be_hex: string;
    intermediate: ProofIntermediate;
  }>(`small/${name}.json`);
  return {
    name,
    key: goldenBytes(`small/${name}.vk`),
    proof: golden.proof,
    r: fromBeHex(golden.r_be_hex),
    s: fromBeHex(golden.s_be_hex),
    intermediate: golden.intermediate,
  };
});

it('covers four sectors and both small circuits', () => {
  expect([...partitions, ...small].map(({ name }) => name)).toEqual([
    '2KiB-V1-a',
    '2KiB-V1_1-a',
    '2KiB-Synthetic-a',
    '8MiB-V1_1-a',
    'poseidon2',
    'sha256-node',
  ]);
});

describe.each([...partitions, ...small])('$name', ({ key, proof, r, s, intermediate }) => {
  const vk = decodeVerifyingKey(key);
  const msm = querySumsOf(intermediate);

  it('gives the bytes of the reference for the fixed r and s', () => {
    expect({ r, s }).toEqual(developmentBlinding(0));
    expect(toHex(encodeProof(assembleProof(vk, msm, { r, s })))).toBe(proof);
  });

  it('gives the bytes of the reference for r = s = 0', () => {
    const bytes = encodeProof(assembleProof(vk, msm, { r: 0n, s: 0n }));
    expect(toHex(bytes)).toBe(intermediate.proof_with_r_s_zero);
  });

  it('gives other bytes for another r, another s, or exchanged results', () => {
    const others = [
      assembleProof(vk, msm, { r: r + 1n, s }),
      assembleProof(vk, msm, { r, s: s + 1n }),
      assembleProof(vk, { ...msm, a: msm.bG1 }, { r, s }),
    ];
    for (const other of others) expect(toHex(encodeProof(other))).not.toBe(proof);
  });
});

it('refuses delta at infinity, and r or s outside the field', () => {
  const { key, intermediate } = partitions[0];
  const vk = decodeVerifyingKey(key);
  const msm = querySumsOf(intermediate);
  for (const bad of [
    { ...vk, deltaG1: null },
    { ...vk, deltaG2: null },
  ]) {
    expect(() => assembleProof(bad, msm, { r: 1n, s: 1n })).toThrow('[PARAMS_MALFORMED]');
  }
  expect(() => assembleProof(vk, msm, { r: FR_MODULUS, s: 0n })).toThrow(RangeError);
  expect(() => assembleProof(vk, msm, { r: 0n, s: -1n })).toThrow(RangeError);
});

it('takes infinity for an MSM without terms', () => {
  const { key, intermediate } = small[0];
  const vk = decodeVerifyingKey(key);
  const msm = { ...querySumsOf(intermediate), bG1: null, bG2: null };
  expect(fromHex(toHex(encodeProof(assembleProof(vk, msm, { r: 5n, s: 7n })))).length).toBe(192);
});
