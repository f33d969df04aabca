import { describe, expect, it } from 'vitest';
import { bigintFromLe, fromHex } from '../bytes.ts';
import { CuzkError } from '../errors.ts';
import { decodeProof } from '../groth16/proof.ts';
import type { Proof } from '../groth16/types.ts';
import { prepareVerifyingKey, verifyProofBatch } from '../groth16/verify.ts';
import { decodeVerifyingKey } from '../groth16/verifying-key.ts';
import { registeredProof } from './registered-proof.ts';
import {
  type ProofVerifier,
  type SealStatement,
  verifySeal,
  verifySealPartitions,
} from './statement.ts';
import {
  C1_CASES,
  type C1CaseName,
  readC1Case,
  readRepositoryFile,
  readVectorJson,
} from './testing/vectors.ts';

function verifierFor(size: string): ProofVerifier<Proof> {
  const file = readRepositoryFile(`packages/core/vectors/params/${size}.vk`);
  const key = prepareVerifyingKey(decodeVerifyingKey(new Uint8Array(file)));
  return {
    decodeProof: (bytes) => decodeProof(bytes),
    verifyProofs: (inputs, proofs) =>
      verifyProofBatch(
        key,
        inputs.map((own) => own.map(bigintFromLe)),
        proofs,
        () => 3n ** 80n,
      ),
  };
}
const verifier = verifierFor('2KiB');

function sealOf(name: C1CaseName): { statement: SealStatement; proof: Uint8Array } {
  const { expected } = readC1Case(name);
  const statement = {
    registeredProof: registeredProof(expected.registeredProof),
    commR: fromHex(expected.commR),
    commD: fromHex(expected.commD),
    proverId: fromHex(expected.proverId),
    sectorId: BigInt(expected.sectorId),
    ticket: fromHex(expected.ticket),
    seed: fromHex(expected.seed),
  };
  return { statement, proof: fromHex(expected.developmentProof?.proof ?? '') };
}
const golden = sealOf('2KiB-V1_1-a');

const proved = C1_CASES.filter((name) => name !== '512MiB-V1_1-a');

it.each(proved)('the seal proof of %s holds for its own statement only', (name) => {
  const { statement, proof } = sealOf(name);
  const own = verifierFor(name.split('-')[0]);
  expect(verifySeal(statement, proof, own)).toBe(true);
  expect(verifySeal({ ...statement, sectorId: statement.sectorId + 1n }, proof, own)).toBe(false);
});

/** Upstream's error texts, and what stands for each here. */
const ERRORS: Record<string, { code: string; message: RegExp; facts?: object }> = {
  'not on curve': { code: 'PROOF_MALFORMED', message: /not on curve/ },
  'point at infinity': { code: 'PROOF_MALFORMED', message: /point at infinity/ },
  'Invalid proof bytes (empty vector)': {
    code: 'PROOF_MALFORMED',
    message: /wrong length/,
    facts: { found: '0 bytes' },
  },
  ...Object.fromEntries(
    [191, 193, 384].map((length) => [
      `expected exactly 192 bytes but got ${length}`,
      {
        code: 'PROOF_MALFORMED',
        message: /wrong length/,
        facts: { expected: 'exactly 192 bytes', found: `${length} bytes`, pointer: '/proof' },
      },
    ]),
  ),
  ...Object.fromEntries(
    ['comm_r', 'comm_d'].flatMap((name) => [
      [
        `Invalid all zero commitment (${name})`,
        { code: 'STATEMENT_INVALID', message: /all zero/, facts: { pointer: `/${name}` } },
      ],
      [
        `Invalid commitment (${name}): Bytes could not be converted to Fr`,
        {
          code: 'STATEMENT_INVALID',
          message: /not a field element/,
          facts: { pointer: `/${name}` },
        },
      ],
    ]),
  ),
};

/** The recorded changes of the statement. */
const CHANGES: Record<string, (statement: SealStatement) => Partial<SealStatement>> = {
  'comm_r byte 0 xor 1': ({ commR }) => ({ commR: flipped(commR) }),
  'comm_d byte 0 xor 1': ({ commD }) => ({ commD: flipped(commD) }),
  'prover_id byte 0 xor 1': ({ proverId }) => ({ proverId: flipped(proverId) }),
  'sector_id + 1': ({ sectorId }) => ({ sectorId: sectorId + 1n }),
  'ticket byte 0 xor 1': ({ ticket }) => ({ ticket: flipped(ticket) }),
  'seed byte 0 xor 1': ({ seed }) => ({ seed: flipped(seed) }),
  'seed all zero': () => ({ seed: new Uint8Array(32) }),
  'comm_r all zero': () => ({ commR: new Uint8Array(32) }),
  'comm_d all zero': () => ({ commD: new Uint8Array(32) }),
  'comm_r all 0xff': () => ({ commR: new Uint8Array(32).fill(255) }),
  'comm_d all 0xff': () => ({ commD: new Uint8Array(32).fill(255) }),
  'registered proof StackedDrg2KiBV1': () => ({
    registeredProof: registeredProof('StackedDrg2KiBV1'),
  }),
  'registered proof StackedDrg2KiBV1_1_Feat_SyntheticPoRep': () => ({
    registeredProof: registeredProof('StackedDrg2KiBV1_1_Feat_SyntheticPoRep'),
  }),
};
const flipped = (bytes: Uint8Array) => bytes.with(0, bytes[0] ^ 1);

interface Answer {
  what: string;
  result: boolean | string;
}
const negative = readVectorJson<{ proofs: (Answer & { proof: string })[]; statements: Answer[] }>(
  'porep/negative-2KiB-V1_1-a.json',
);

function expectAnswer(result: boolean | string, verify: () => boolean): void {
  if (typeof result === 'boolean') {
    expect(verify()).toBe(result);
    return;
  }
  const ours = ERRORS[result.replace('error: ', '')];
  if (ours === undefined) throw new Error(`no counterpart of "${result}"`);
  try {
    expect.unreachable(String(verify()));
  } catch (error) {
    if (!(error instanceof CuzkError)) throw error;
    expect(error.code).toBe(ours.code);
    expect(error.message).toMatch(ours.message);
    expect(error.facts).toMatchObject(ours.facts ?? {});
  }
}

describe('the recorded answers of upstream', () => {
  it('are all here', () => {
    expect([negative.proofs.length, negative.statements.length]).toEqual([34, 13]);
    expect(negative.statements.map(({ what }) => what)).toEqual(Object.keys(CHANGES));
  });

  it.each(negative.proofs)('for the proof: $what', ({ proof, result }) => {
    expectAnswer(result, () => verifySeal(golden.statement, fromHex(proof), verifier));
  });

  it.each(negative.statements)('for the statement: $what', ({ what, result }) => {
    const statement = { ...golden.statement, ...CHANGES[what](golden.statement) };
    expectAnswer(result, () => verifySeal(statement, golden.proof, verifier));
  });
});

it('looks at commitments before the proof, and at all proofs before the pairing', () => {
  const zero = { ...golden.statement, commD: new Uint8Array(32) };
  expect(() => verifySeal(zero, new Uint8Array(0), verifier)).toThrow(/comm_d is all zero/);
  const high = { ...golden.statement, commR: new Uint8Array(32).fill(255) };
  expect(() => verifySeal(high, new Uint8Array(5), verifier)).toThrow(/comm_r is not a field/);
});

describe('a non-interactive seal', () => {
  const statement = {
    ...golden.statement,
    registeredProof: registeredProof('StackedDrg2KiBV1_2_Feat_NonInteractivePoRep'),
  };

  it('has an aggregate, which is not verified here', () => {
    expect(() => verifySeal(statement, golden.proof, verifier)).toThrow(
      expect.objectContaining({
        code: 'STATEMENT_INVALID',
        facts: expect.objectContaining({ pointer: '/registered_proof' }),
      }),
    );
  });

  it('has thirteen partition proofs that are', () => {
    const thirteen = new Uint8Array(13 * 192);
    for (let k = 0; k < 13; k++) thirteen.set(golden.proof, 192 * k);
    expect(verifySealPartitions(statement, thirteen, verifier)).toBe(false);
    expect(() => verifySealPartitions(statement, golden.proof, verifier)).toThrow(/wrong length/);
  });
});
