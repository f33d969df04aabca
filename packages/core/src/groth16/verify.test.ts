import { describe, expect, it } from 'vitest';
import { fromHex } from '../bytes.ts';
import { g1 } from '../curve/g1.ts';
import { FP_MODULUS } from '../field/fp.ts';
import { FR_MODULUS } from '../field/fr.ts';
import { decodeProof } from './proof.ts';
import {
  fromLeHex,
  GOLDEN_PROOF_CASES,
  goldenBytes,
  goldenJson,
  goldenKeyOf,
  goldenProof,
} from './testing/golden.ts';
import type { Proof } from './types.ts';
import { prepareVerifyingKey, verifyProof, verifyProofBatch } from './verify.ts';
import { decodeVerifyingKey } from './verifying-key.ts';

const prepared = new Map(
  ['2KiB', '8MiB'].map((size) => [
    size,
    prepareVerifyingKey(decodeVerifyingKey(goldenKeyOf(size))),
  ]),
);
const keyFor = (name: string) => {
  const key = prepared.get(name.split('-')[0]);
  if (key === undefined) throw new Error(`no key for ${name}`);
  return key;
};
const statementOf = (name: (typeof GOLDEN_PROOF_CASES)[number]) => {
  const [partition] = goldenProof(name).partitions;
  return {
    inputs: partition.public_inputs_le_hex.map(fromLeHex),
    proof: decodeProof(fromHex(partition.proof)),
    bytes: fromHex(partition.proof),
  };
};

/** Deterministic stand-in for a CSPRNG; each call another value. */
const counter = (start: bigint) => {
  let z = start;
  return () => ++z;
};

describe.each(GOLDEN_PROOF_CASES)('golden proof %s', (name) => {
  const vk = keyFor(name);
  const { inputs, proof } = statementOf(name);

  it('verifies', () => {
    expect(verifyProof(vk, inputs, proof)).toBe(true);
  });

  it('fails for any other statement', () => {
    for (const i of [0, 1, 2, inputs.length - 1]) {
      const other = inputs.with(i, (inputs[i] + 1n) % FR_MODULUS);
      expect(verifyProof(vk, other, proof)).toBe(false);
    }
  });

  it('fails for a proof with one point replaced', () => {
    const others: Proof[] = [
      { ...proof, a: g1.negate(proof.a) },
      { ...proof, a: proof.c, c: proof.a },
      { ...proof, c: g1.double(proof.c) },
    ];
    for (const other of others) expect(verifyProof(vk, inputs, other)).toBe(false);
  });
});

it('altered proofs that decode give false, as in the reference', () => {
  const { proofs } = goldenJson<{ proofs: { proof: string; result: boolean | string }[] }>(
    'porep/negative-2KiB-V1_1-a.json',
  );
  const decidable = proofs.filter(({ result }) => typeof result === 'boolean');
  expect(decidable.length).toBe(5);
  const { inputs } = statementOf('2KiB-V1_1-a');
  for (const { proof, result } of decidable) {
    expect(verifyProof(keyFor('2KiB'), inputs, decodeProof(fromHex(proof)))).toBe(result);
  }
});

it('the proof for r = s = 0 verifies too', () => {
  const [{ intermediate }] = goldenProof('2KiB-V1_1-a').partitions;
  const proof = decodeProof(fromHex(intermediate?.proof_with_r_s_zero ?? ''));
  expect(verifyProof(keyFor('2KiB'), statementOf('2KiB-V1_1-a').inputs, proof)).toBe(true);
});

it.each(['poseidon2', 'sha256-node'])('the proof of %s verifies', (name) => {
  const golden = goldenJson<{ proof: string; public_inputs_le: string[] }>(`small/${name}.json`);
  const vk = prepareVerifyingKey(decodeVerifyingKey(goldenBytes(`small/${name}.vk`)));
  const inputs = golden.public_inputs_le.map(fromLeHex);
  const proof = decodeProof(fromHex(golden.proof));
  expect(verifyProof(vk, inputs, proof)).toBe(true);
  expect(verifyProof(vk, [inputs[0] + 1n], proof)).toBe(false);
});

describe('a batch', () => {
  const vk = keyFor('2KiB');
  const cases = (['2KiB-V1-a', '2KiB-V1_1-a', '2KiB-V1_1-b', '2KiB-Synthetic-a'] as const).map(
    statementOf,
  );
  const inputs = cases.map((c) => c.inputs);
  const proofs = cases.map((c) => c.proof);

  it('of good proofs verifies, small and large random values alike', () => {
    expect(verifyProofBatch(vk, inputs, proofs, counter(0n))).toBe(true);
    expect(verifyProofBatch(vk, inputs, proofs, counter((1n << 128n) - 100n))).toBe(true);
    expect(verifyProofBatch(vk, inputs.slice(1, 2), proofs.slice(1, 2), counter(0n))).toBe(true);
  });

  it('with one bad proof or statement in any place does not', () => {
    proofs.forEach((proof, i) => {
      const bad = proofs.with(i, { ...proof, c: g1.negate(proof.c) });
      expect(verifyProofBatch(vk, inputs, bad, counter(1n << 120n))).toBe(false);
      const other = inputs.with(i, inputs[i].with(0, 5n));
      expect(verifyProofBatch(vk, other, proofs, counter(1n << 120n))).toBe(false);
    });
    const exchanged = [proofs[1], proofs[0], proofs[2], proofs[3]];
    expect(verifyProofBatch(vk, inputs, exchanged, counter(77n))).toBe(false);
  });

  it('errors that cancel without randomness are caught', () => {
    const shift = g1.double(proofs[0].c);
    const cancelling = [
      { ...proofs[0], c: g1.add(proofs[0].c, shift) },
      { ...proofs[1], c: g1.add(proofs[1].c, g1.negate(shift)) },
    ];
    const two = inputs.slice(0, 2);
    // With equal weights the two errors cancel: this is why the weights must be random.
    expect(verifyProofBatch(vk, two, cancelling, () => 9n)).toBe(true);
    expect(verifyProofBatch(vk, two, cancelling, counter(9n))).toBe(false);
  });

  it('is checked before any arithmetic', () => {
    const unused = () => {
      throw new Error('random128 was called');
    };
    expect(() => verifyProofBatch(vk, [], [], unused)).toThrow('Cannot prove empty batch');
    expect(() => verifyProofBatch(vk, inputs.slice(1), proofs, unused)).toThrow(
      'Inconsistent inputs',
    );
    const short = inputs.with(3, inputs[3].slice(1));
    expect(() => verifyProofBatch(vk, short, proofs, unused)).toThrow('[STATEMENT_INVALID]');
    for (const z of [0n, -1n, 1n << 128n]) {
      expect(() => verifyProofBatch(vk, inputs, proofs, () => z)).toThrow(RangeError);
    }
  });
});

describe('bad arguments', () => {
  const vk = keyFor('2KiB');
  const { inputs, proof } = statementOf('2KiB-V1_1-a');

  it('a wrong number of public inputs, or one outside the field', () => {
    for (const wrong of [inputs.slice(1), [...inputs, 0n], []]) {
      expect(() => verifyProof(vk, wrong, proof)).toThrow('[STATEMENT_INVALID] verifying key');
    }
    for (const value of [-1n, FR_MODULUS]) {
      expect(() => verifyProof(vk, inputs.with(7, value), proof)).toThrow(
        'public input 7: not a field element',
      );
    }
  });

  it('points that decoding would refuse, although the pairing cannot see them', () => {
    // (0, 2) has order 3: adding it to A changes no pairing value.
    const outside = { x: 0n, y: 2n };
    const { a, b, c } = proof;
    if (a === null || b === null || c === null) throw new Error('expected finite points');
    const bad: Proof[] = [
      { ...proof, a: g1.add(proof.a, outside) },
      { ...proof, a: null },
      { ...proof, b: null },
      { ...proof, c: null },
      { ...proof, c: { x: 1n, y: 1n } },
      { ...proof, a: { x: a.x + FP_MODULUS, y: a.y } },
      { ...proof, c: { x: c.x, y: c.y - FP_MODULUS } },
      { ...proof, b: { x: b.x, y: { c0: b.y.c0, c1: b.y.c1 + FP_MODULUS } } },
    ];
    for (const altered of bad) {
      expect(() => verifyProof(vk, inputs, altered)).toThrow('[PROOF_MALFORMED]');
      expect(() => verifyProofBatch(vk, [inputs, inputs], [proof, altered], counter(3n))).toThrow(
        '[PROOF_MALFORMED]',
      );
    }
  });
});
