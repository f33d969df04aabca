import { bigintFromBe, bigintFromLe, toHex } from '@cuzk/core/bytes';
import { decodeProofs } from '@cuzk/core/groth16/proof';
import { prepareVerifyingKey, verifyProofBatch } from '@cuzk/core/groth16/verify';
import { decodeVerifyingKey } from '@cuzk/core/groth16/verifying-key';
import { nobleHashes } from '@cuzk/core/porep/hashes';
import { PRODUCTION_PARAMS } from '@cuzk/core/porep/production-params';
import type { VerificationDocument } from '../../src/verification-document.ts';

export interface VerificationOutcome {
  /** Every partition proof holds for its public inputs under the key. */
  readonly verified: boolean;
  readonly partitions: number;
  readonly proofBytes: number;
  readonly publicInputs: number;
  /** As computed here, not as told. */
  readonly keyDigest: string;
  /** Whether that is the digest Filecoin publishes for this circuit. */
  readonly keyIsPublished: boolean;
  /** What every partition states, in hex as in the files of Filecoin. */
  readonly replicaId: string;
  readonly commD: string;
  readonly commR: string;
  readonly milliseconds: number;
}

const FR_BYTES = 32;

const bytesOf = (base64: string): Uint8Array =>
  Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));

/** Never 0: the lowest bit is set, which costs one bit of 128. */
const random128 = (): bigint => bigintFromBe(crypto.getRandomValues(new Uint8Array(16))) | 1n;

/**
 * Checks a proof with nothing but this code: decodes key and proof with all subgroup checks, and takes the pairings.
 * `flipBit` changes one bit of the proof first, to see that a bad one is refused. Throws CuzkError where key, proof
 * or inputs are no such thing at all.
 */
export function verifyDocument(
  document: VerificationDocument,
  { flipBit = false }: { readonly flipBit?: boolean } = {},
): VerificationOutcome {
  const startedAt = performance.now();
  const { partitions, publicInputsPerPartition: perPartition, circuitId } = document;
  const key = bytesOf(document.verifyingKey);
  const keyDigest = toHex(nobleHashes.blake2b512(key)).slice(0, 32);
  const proof = bytesOf(document.proof);
  // The sign of A: what comes out is still a point, but another one.
  if (flipBit) proof[0] = (proof[0] ?? 0) ^ 0x20;
  const values = bytesOf(document.publicInputs);
  const valueAt = (k: number, i: number) => {
    const at = FR_BYTES * (k * perPartition + i);
    return values.subarray(at, at + FR_BYTES);
  };
  const numbers = Array.from({ length: partitions }, (_, k) => k);
  const inputs = numbers.map((k) =>
    Array.from({ length: perPartition }, (_, i) => bigintFromLe(valueAt(k, i))),
  );
  const sameStatement = inputs.every((own) => [0, 1, 2].every((i) => own[i] === inputs[0]?.[i]));
  const whole = values.length === FR_BYTES * perPartition * partitions;
  const prepared = prepareVerifyingKey(decodeVerifyingKey(key));
  const verified =
    whole &&
    sameStatement &&
    verifyProofBatch(prepared, inputs, decodeProofs(proof, partitions), random128);
  const [replicaId, commD, commR] = [0, 1, 2].map((i) => toHex(valueAt(0, i)));
  return {
    verified,
    partitions,
    proofBytes: proof.length,
    publicInputs: perPartition * partitions,
    keyDigest,
    keyIsPublished: PRODUCTION_PARAMS[circuitId]?.vk.digest === keyDigest,
    replicaId: replicaId ?? '',
    commD: commD ?? '',
    commR: commR ?? '',
    milliseconds: performance.now() - startedAt,
  };
}
