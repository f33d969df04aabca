import { randomBytes } from 'node:crypto';
import { bigintFromBe, bigintFromLe } from '@cuzk/core/bytes';
import { decodeProof } from '@cuzk/core/groth16/proof';
import type { Proof } from '@cuzk/core/groth16/types';
import { prepareVerifyingKey, verifyProofBatch } from '@cuzk/core/groth16/verify';
import type { ProofVerifier } from '@cuzk/core/porep/statement';
import type { LoadedVerifyingKey } from './verifying-key-file.ts';

/** Groth16 over one verifying key, with the batch's randomness from the system. */
export function proofVerifier({ key }: Pick<LoadedVerifyingKey, 'key'>): ProofVerifier<Proof> {
  const prepared = prepareVerifyingKey(key);
  return {
    decodeProof: (bytes) => decodeProof(bytes),
    verifyProofs: (publicInputs, proofs) =>
      verifyProofBatch(
        prepared,
        publicInputs.map((inputs) => inputs.map(bigintFromLe)),
        proofs,
        // Never 0: the lowest bit is set, which costs one bit of 128.
        () => bigintFromBe(randomBytes(16)) | 1n,
      ),
  };
}
