import { interleavedMSMUnsafe, pippenger } from '@noble/curves/abstract/curve.js';
import { bls12_381 } from '@noble/curves/bls12-381.js';
import { g1 } from '../curve/g1.ts';
import { g2 } from '../curve/g2.ts';
import {
  isInG1,
  isInG2,
  type NobleG1,
  NobleG1Point,
  toNobleG1,
  toNobleG2,
} from '../curve/noble-points.ts';
import type { G2Affine } from '../curve/points.ts';
import { CuzkError } from '../errors.ts';
import { FP_MODULUS } from '../field/fp.ts';
import { FR_MODULUS } from '../field/fr.ts';
import type { Proof, VerifyingKey } from './types.ts';

const { Fp12 } = bls12_381.fields;
type Gt = typeof Fp12.ONE;
/** What the Miller loop needs of a G2 point; null for infinity. */
type Lines = ReturnType<typeof bls12_381.utils.calcPairingPrecomputes> | null;

/** A verifying key with everything that does not depend on a proof computed once (spec §4.4). */
export interface PreparedVerifyingKey {
  /** ic points: public inputs + 1. */
  readonly inputs: number;
  readonly alphaG1: NobleG1;
  readonly betaLines: Lines;
  readonly gammaLines: Lines;
  readonly deltaLines: Lines;
  /** e(alpha_g1, beta_g2). */
  readonly alphaBeta: Gt;
  /** Σ scalars[i]·ic_i; scalars in [0, r), ONE's first. */
  combineInputs(scalars: bigint[]): NobleG1;
}

/** Width of the signed windows over the ic points: tables of 8 points each, ≈ 43 additions for a full scalar. */
const IC_WINDOW_BITS = 5;

const linesOf = (point: G2Affine): Lines =>
  point === null ? null : bls12_381.utils.calcPairingPrecomputes(toNobleG2(point));

/** Π e(p, q) over the pairs; a pair with infinity contributes 1. One final exponentiation for all. */
function pairingProduct(pairs: readonly (readonly [NobleG1, Lines])[]): Gt {
  const finite: [NonNullable<Lines>, bigint, bigint][] = [];
  for (const [point, lines] of pairs) {
    if (lines === null || point.is0()) continue;
    const { x, y } = point.toAffine();
    finite.push([lines, x, y]);
  }
  return Fp12.finalExponentiate(bls12_381.millerLoopBatch(finite));
}

/** Computes the fixed part of verification; ≈ 30 ms for 40 inputs. The key's points are taken as decoded. */
export function prepareVerifyingKey(vk: VerifyingKey): PreparedVerifyingKey {
  const alphaG1 = toNobleG1(vk.alphaG1);
  const betaLines = linesOf(vk.betaG2);
  return {
    inputs: vk.ic.length,
    alphaG1,
    betaLines,
    gammaLines: linesOf(vk.gammaG2),
    deltaLines: linesOf(vk.deltaG2),
    alphaBeta: pairingProduct([[alphaG1, betaLines]]),
    combineInputs: interleavedMSMUnsafe(NobleG1Point, vk.ic.map(toNobleG1), IC_WINDOW_BITS),
  };
}

function assertPublicInputs(vk: PreparedVerifyingKey, publicInputs: readonly bigint[]): void {
  if (publicInputs.length + 1 !== vk.inputs) {
    throw new CuzkError(
      'STATEMENT_INVALID',
      'verifying key: malformed for this number of public inputs',
      { expected: `${vk.inputs - 1} public inputs`, found: `${publicInputs.length}` },
    );
  }
  const outside = publicInputs.findIndex((value) => value < 0n || value >= FR_MODULUS);
  if (outside >= 0) {
    throw new CuzkError('STATEMENT_INVALID', `public input ${outside}: not a field element`, {
      expected: 'a value in [0, r)',
      found: 'a value outside',
      pointer: `/${outside}`,
    });
  }
}

const isReduced = (...coordinates: readonly bigint[]): boolean =>
  coordinates.every((value) => value >= 0n && value < FP_MODULUS);

/**
 * Pairings ignore components outside the subgroup, so a proof that was never decoded with its checks could pass
 * here and fail everywhere else. Costs ≈ 4 ms a proof.
 */
function assertProofPoints({ a, b, c }: Proof): void {
  const sound =
    [a, c].every(
      (point) =>
        point !== null && isReduced(point.x, point.y) && g1.isOnCurve(point) && isInG1(point),
    ) &&
    b !== null &&
    isReduced(b.x.c0, b.x.c1, b.y.c0, b.y.c1) &&
    g2.isOnCurve(b) &&
    isInG2(b);
  if (sound) return;
  throw new CuzkError('PROOF_MALFORMED', 'proof: not on curve', {
    expected: 'finite points of the subgroup of order r',
    found: 'a point that is none',
  });
}

/**
 * Whether the proof holds for the public inputs (without ONE, in [0, r)):
 * e(A, B)·e(acc, −gamma)·e(C, −delta) = e(alpha, beta), acc = ic_0 + Σ a_i·ic_i (spec §4.4). Throws CuzkError
 * STATEMENT_INVALID for a wrong number of inputs or one outside the field, PROOF_MALFORMED for points that
 * decodeProof would refuse.
 */
export function verifyProof(
  vk: PreparedVerifyingKey,
  publicInputs: readonly bigint[],
  proof: Proof,
): boolean {
  assertPublicInputs(vk, publicInputs);
  assertProofPoints(proof);
  const acc = vk.combineInputs([1n, ...publicInputs]);
  const product = pairingProduct([
    [toNobleG1(proof.a), linesOf(proof.b)],
    [acc.negate(), vk.gammaLines],
    [toNobleG1(proof.c).negate(), vk.deltaLines],
  ]);
  return Fp12.eql(product, vk.alphaBeta);
}

/**
 * Whether all proofs hold, in one randomised product (spec §4.4): false says that at least one does not, not
 * which. `random128` gives independent uniformly random integers in [1, 2^128), from a CSPRNG and unknown to
 * whoever made the proofs; a predictable one lets bad proofs cancel out. One proof is checked plainly, as in
 * the reference. Errors as verifyProof, all before any arithmetic; STATEMENT_INVALID also for an empty batch
 * and for lists of different length; RangeError for a value of random128 out of range.
 */
export function verifyProofBatch(
  vk: PreparedVerifyingKey,
  publicInputs: readonly (readonly bigint[])[],
  proofs: readonly Proof[],
  random128: () => bigint,
): boolean {
  assertBatch(vk, publicInputs, proofs);
  if (proofs.length === 1) return verifyProof(vk, publicInputs[0], proofs[0]);
  for (const proof of proofs) assertProofPoints(proof);

  const z = proofs.map(() => checkedRandom(random128()));
  const zSum = z.reduce((sum, value) => sum + value, 0n);
  const scalars = Array.from({ length: vk.inputs }, (_, i) => {
    const sum = z.reduce((acc, zj, j) => acc + zj * (i === 0 ? 1n : publicInputs[j][i - 1]), 0n);
    return sum % FR_MODULUS;
  });
  const cSum = pippenger(
    NobleG1Point,
    proofs.map(({ c }) => toNobleG1(c)),
    z,
  );
  const product = pairingProduct([
    ...proofs.map(({ a, b }, j) => [toNobleG1(a).multiplyUnsafe(z[j]), linesOf(b)] as const),
    [vk.combineInputs(scalars).negate(), vk.gammaLines],
    [cSum.negate(), vk.deltaLines],
    [vk.alphaG1.multiplyUnsafe(zSum).negate(), vk.betaLines],
  ]);
  return Fp12.eql(product, Fp12.ONE);
}

function assertBatch(
  vk: PreparedVerifyingKey,
  publicInputs: readonly (readonly bigint[])[],
  proofs: readonly Proof[],
): void {
  if (proofs.length === 0) {
    throw new CuzkError('STATEMENT_INVALID', 'Cannot prove empty batch', {
      expected: 'at least one proof',
      found: '0',
    });
  }
  if (publicInputs.length !== proofs.length) {
    throw new CuzkError('STATEMENT_INVALID', 'Inconsistent inputs', {
      expected: `${proofs.length} lists of public inputs, one a proof`,
      found: `${publicInputs.length}`,
    });
  }
  for (const inputs of publicInputs) assertPublicInputs(vk, inputs);
}

function checkedRandom(z: bigint): bigint {
  if (z > 0n && z >> 128n === 0n) return z;
  throw new RangeError('random128: expected values in [1, 2^128)');
}
