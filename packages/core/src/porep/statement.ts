import { CuzkError } from '../errors.ts';
import { isCanonicalFr } from './canonical-fr.ts';
import { type Hashes, nobleHashes } from './hashes.ts';
import { publicInputsOf, publicStatementOf } from './public-inputs.ts';
import type { RegisteredProof } from './registered-proof.ts';
import { replicaIdOf } from './replica-id.ts';

/** Length of one Groth16 proof (spec §3.4). */
const PROOF_BYTES = 192;

/** What a seal proof claims; byte strings of 32 bytes. The replica id follows from it. */
export interface SealStatement {
  readonly registeredProof: RegisteredProof;
  readonly commR: Uint8Array;
  readonly commD: Uint8Array;
  readonly proverId: Uint8Array;
  readonly sectorId: bigint;
  readonly ticket: Uint8Array;
  readonly seed: Uint8Array;
}

/** Groth16 with the verifying key of the statement's circuit; P is a decoded proof. */
export interface ProofVerifier<P> {
  /** Decodes 192 bytes; throws CuzkError PROOF_MALFORMED for points that are not acceptable. */
  readonly decodeProof: (bytes: Uint8Array) => P;
  /** Whether every proof holds for its public inputs (without ONE, 32 bytes little-endian each). */
  readonly verifyProofs: (
    publicInputs: readonly (readonly Uint8Array[])[],
    proofs: readonly P[],
  ) => boolean;
}

/**
 * Verifies a seal proof with the answers of upstream's verify_seal (spec §8.2): true, false, or an error where
 * statement or proof bytes are not acceptable at all (STATEMENT_INVALID, PROOF_MALFORMED). An all-zero seed is
 * no error here, its proof is just false. Non-interactive seals carry an aggregate, which is not verified
 * here (STATEMENT_INVALID); their single proofs are checked by verifySealPartitions.
 */
export function verifySeal<P>(
  statement: SealStatement,
  proof: Uint8Array,
  verifier: ProofVerifier<P>,
  hashes: Hashes = nobleHashes,
): boolean {
  if (statement.registeredProof.variant === 'NonInteractive') {
    throw new CuzkError('STATEMENT_INVALID', 'a non-interactive seal has an aggregated proof', {
      expected: 'an interactive or synthetic proof type',
      found: statement.registeredProof.name,
      pointer: '/registered_proof',
    });
  }
  return verifySealPartitions(statement, proof, verifier, hashes);
}

/**
 * Verifies the concatenated partition proofs of a seal, 192 bytes each, of any variant. The number of proofs
 * is that of the proof type, so the minimum of challenges (spec §8.2 item 7) always holds.
 */
export function verifySealPartitions<P>(
  statement: SealStatement,
  proof: Uint8Array,
  verifier: ProofVerifier<P>,
  hashes: Hashes = nobleHashes,
): boolean {
  const { registeredProof, commR, commD } = statement;
  requireNonZero(commD, 'comm_d');
  requireNonZero(commR, 'comm_r');
  if (proof.length === 0) throw wrongProofLength('at least one proof', 0);
  requireFr(commR, 'comm_r');
  requireFr(commD, 'comm_d');
  const { partitions, porepId } = registeredProof;
  const replicaId = replicaIdOf({ ...statement, porepId }, hashes);
  const length = PROOF_BYTES * partitions;
  if (proof.length !== length) throw wrongProofLength(`exactly ${length} bytes`, proof.length);
  const numbers = Array.from({ length: partitions }, (_, k) => k);
  const proofs = numbers.map((k) =>
    verifier.decodeProof(proof.subarray(PROOF_BYTES * k, PROOF_BYTES * (k + 1))),
  );
  const publicStatement = publicStatementOf({ ...statement, replicaId }, hashes);
  return verifier.verifyProofs(
    numbers.map((k) => publicInputsOf(publicStatement, k)),
    proofs,
  );
}

function requireNonZero(bytes: Uint8Array, name: string): void {
  if (bytes.some((byte) => byte !== 0)) return;
  throw new CuzkError('STATEMENT_INVALID', `${name} is all zero`, {
    expected: 'a commitment that is not all zero',
    found: 'zero',
    pointer: `/${name}`,
  });
}

function requireFr(bytes: Uint8Array, name: string): void {
  if (bytes.length === 32 && isCanonicalFr(bytes)) return;
  throw new CuzkError('STATEMENT_INVALID', `${name} is not a field element`, {
    expected: '32 bytes, little-endian, below the order of the scalar field',
    found: bytes.length === 32 ? 'a value not below it' : `${bytes.length} bytes`,
    pointer: `/${name}`,
  });
}

const wrongProofLength = (expected: string, found: number) =>
  new CuzkError('PROOF_MALFORMED', 'the proof has a wrong length', {
    expected,
    found: `${found} bytes`,
    pointer: '/proof',
  });
