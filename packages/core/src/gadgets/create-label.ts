import type { ConstraintSystem } from '../r1cs/constraint-system.ts';
import type { Variable } from '../r1cs/variable.ts';
import { type Bool, FALSE } from './boolean.ts';
import { sha256 } from './sha256.ts';
import { packDigest } from './sha256-node.ts';
import { bitsBeFromWords, constantWord } from './uint32.ts';
import type { UInt64 } from './uint64.ts';

/** Parent labels that a label hashes, repetitions included. */
const TOTAL_PARENTS = 37;
const ELEMENT_BITS = 256;
const HEADER_BITS = 512;

/**
 * The label of a node from its expanded parent labels (spec §6.16). `replicaId` and every parent are 256
 * Booleans in the order SHA-256 reads them; `layer` is a constant of the circuit.
 */
export function createLabel(
  cs: ConstraintSystem,
  replicaId: readonly Bool[],
  parents: readonly (readonly Bool[])[],
  layer: number,
  node: UInt64,
  name: string,
): Variable {
  if (parents.length !== TOTAL_PARENTS || parents.some((bits) => bits.length !== ELEMENT_BITS)) {
    throw new RangeError(`label: expected ${TOTAL_PARENTS} parents of ${ELEMENT_BITS} bits`);
  }
  cs.enter(name);
  const header = [...replicaId, ...bitsBeFromWords([constantWord(layer)]), ...node.toReversed()];
  while (header.length < HEADER_BITS) header.push(FALSE);
  const digest = sha256(cs, [...header, ...parents.flat()], 'sha256');
  const label = packDigest(cs, digest, 'label');
  cs.leave();
  return label;
}
