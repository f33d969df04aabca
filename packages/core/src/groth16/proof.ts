import {
  decodeG1Compressed,
  decodeG2Compressed,
  encodeG1Compressed,
  encodeG2Compressed,
  G1_COMPRESSED_BYTES,
  G2_COMPRESSED_BYTES,
} from '../curve/point-encoding.ts';
import { CuzkError } from '../errors.ts';
import type { Proof } from './types.ts';

/** A ‖ B ‖ C, compressed (spec §3.4). */
export const PROOF_BYTES = 192;
const B_OFFSET = G1_COMPRESSED_BYTES;
const C_OFFSET = G1_COMPRESSED_BYTES + G2_COMPRESSED_BYTES;

/** The 192 bytes of a proof (spec §3.4). */
export function encodeProof(proof: Proof): Uint8Array {
  const bytes = new Uint8Array(PROOF_BYTES);
  bytes.set(encodeG1Compressed(proof.a));
  bytes.set(encodeG2Compressed(proof.b), B_OFFSET);
  bytes.set(encodeG1Compressed(proof.c), C_OFFSET);
  return bytes;
}

/** The bytes of a seal proof: the proofs of partitions 0, 1, … one after the other, no prefix (spec §3.4). */
export function encodeProofs(proofs: readonly Proof[]): Uint8Array {
  const bytes = new Uint8Array(PROOF_BYTES * proofs.length);
  proofs.forEach((proof, k) => {
    bytes.set(encodeProof(proof), k * PROOF_BYTES);
  });
  return bytes;
}

function assertProofLength(bytes: Uint8Array, length: number): void {
  if (bytes.length === length) return;
  throw new CuzkError(
    'PROOF_MALFORMED',
    `proof: expected exactly ${length} bytes but got ${bytes.length}`,
    { expected: `${length} bytes`, found: `${bytes.length} bytes` },
  );
}

/**
 * Decodes 192 bytes with every check of spec §8.2 item 6: each point must decode, lie in the subgroup
 * ("not on curve") and be finite ("point at infinity"). `what` names the proof in messages. Throws
 * CuzkError PROOF_MALFORMED.
 */
export function decodeProof(bytes: Uint8Array, what = 'proof'): Proof {
  assertProofLength(bytes, PROOF_BYTES);
  const point = (name: string) => ({ code: 'PROOF_MALFORMED', what: `${what}: ${name}` }) as const;
  return {
    a: decodeG1Compressed(bytes.subarray(0, B_OFFSET), point('A')),
    b: decodeG2Compressed(bytes.subarray(B_OFFSET, C_OFFSET), point('B')),
    c: decodeG1Compressed(bytes.subarray(C_OFFSET), point('C')),
  };
}

/** Decodes the proofs of all partitions (192 · partitions bytes). Errors as decodeProof. */
export function decodeProofs(bytes: Uint8Array, partitions: number): Proof[] {
  assertProofLength(bytes, PROOF_BYTES * partitions);
  return Array.from({ length: partitions }, (_, k) =>
    decodeProof(bytes.subarray(k * PROOF_BYTES, (k + 1) * PROOF_BYTES), `proof of partition ${k}`),
  );
}
