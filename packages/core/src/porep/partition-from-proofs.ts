import type { SealRoots } from './c1-check-challenge.ts';
import type { ChallengeProof, ColumnProof } from './c1-document.ts';
import type { ChallengeInput, ColumnInput, PartitionInput } from './partition-input.ts';
import { type PublicStatement, publicInputsOf } from './public-inputs.ts';

/** The part of a challenge's proof that the circuit uses (spec §2.4); nothing is copied or checked. */
export function challengeInputOf(proof: ChallengeProof): ChallengeInput {
  const columnInput = ({ rows, inclusion }: ColumnProof): ColumnInput => ({
    rows,
    path: inclusion.path,
  });
  return {
    node: proof.labeling[0].node,
    dataLeaf: proof.commD.leaf,
    commDPath: proof.commD.path,
    drgParents: proof.drgParents.map(columnInput),
    expParents: proof.expParents.map(columnInput),
    commRLastPath: proof.commRLast.path,
    columnPath: proof.column.inclusion.path,
  };
}

/** A partition with its challenges in order, roots and the public inputs that follow from the statement. */
export function partitionInputOf(
  statement: PublicStatement,
  roots: Pick<SealRoots, 'commC' | 'commRLast'>,
  partition: number,
  challenges: readonly ChallengeInput[],
): PartitionInput {
  const { shape, replicaId, commD, commR } = statement;
  return {
    sectorBytes: shape.sectorBytes,
    partition,
    replicaId,
    commD,
    commR,
    commRLast: roots.commRLast,
    commC: roots.commC,
    challenges,
    publicInputs: publicInputsOf(statement, partition),
  };
}
