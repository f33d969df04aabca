import { readFileSync } from 'node:fs';
import { circuitId } from '@cuzk/core/porep/circuit-id';
import { sectorShape } from '@cuzk/core/porep/sector';
import { readGoldenCase } from '@cuzk/service-kit/testing/golden-case';
import { describe, expect, it } from 'vitest';
import type { VerificationDocument } from '../../src/verification-document.ts';
import { verifyDocument } from './verification.ts';

const GOLDEN = readGoldenCase('2KiB-V1_1-a');
const OTHER = readGoldenCase('2KiB-V1_1-b');
const KEY = readFileSync(
  new URL('../../../../packages/core/vectors/params/2KiB.vk', import.meta.url),
);
const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64');

const document: VerificationDocument = {
  proofId: 'prf_01a22943-1234-7abc-8def-0123456789ab',
  circuitId: circuitId(sectorShape(2048)),
  sectorSize: '2KiB',
  parameters: 'insecure-development',
  partitions: 1,
  proof: base64(GOLDEN.proof),
  publicInputs: base64(GOLDEN.publicInputs),
  publicInputsPerPartition: GOLDEN.publicInputs.length / 32,
  verifyingKey: base64(KEY),
  verifyingKeyDigest: 'what the service says does not matter',
};
const twice: VerificationDocument = {
  ...document,
  partitions: 2,
  proof: base64(Buffer.concat([GOLDEN.proof, GOLDEN.proof])),
  publicInputs: base64(Buffer.concat([GOLDEN.publicInputs, GOLDEN.publicInputs])),
};

describe('verification in the browser', () => {
  it("accepts bellperson's proof, alone and in a batch", () => {
    expect(verifyDocument(document)).toMatchObject({ verified: true, keyIsPublished: false });
    expect(verifyDocument(twice)).toMatchObject({ verified: true, partitions: 2, proofBytes: 384 });
  });
  it('says what the proof states', () => {
    expect(verifyDocument(document)).toMatchObject({ commR: GOLDEN.commR, commD: GOLDEN.commD });
  });
  it('refuses a proof with one bit flipped, alone and in a batch', () => {
    expect(verifyDocument(document, { flipBit: true }).verified).toBe(false);
    expect(verifyDocument(twice, { flipBit: true }).verified).toBe(false);
  });
  it('refuses the proof of another statement', () => {
    expect(verifyDocument({ ...document, proof: base64(OTHER.proof) }).verified).toBe(false);
  });
  it('refuses partitions of different sectors, each of which holds', () => {
    const mixed = {
      ...twice,
      proof: base64(Buffer.concat([GOLDEN.proof, OTHER.proof])),
      publicInputs: base64(Buffer.concat([GOLDEN.publicInputs, OTHER.publicInputs])),
    };
    expect(verifyDocument(mixed).verified).toBe(false);
  });
  it('throws on bytes that are no proof or no key', () => {
    const none = base64(new Uint8Array(192));
    expect(() => verifyDocument({ ...document, proof: none })).toThrow(/PROOF_MALFORMED/);
    expect(() =>
      verifyDocument({ ...document, proof: base64(GOLDEN.proof.subarray(1)) }),
    ).toThrow();
    const cut = base64(KEY.subarray(0, KEY.length - 1));
    expect(() => verifyDocument({ ...document, verifyingKey: cut })).toThrow();
  });
});
