import { bigintToLe } from '../bytes.ts';
import { type ChallengeAt, challengeDerivation } from './challenges.ts';
import { type StackedGraph, stackedGraph } from './graph.ts';
import type { Hashes } from './hashes.ts';
import type { RegisteredProof } from './registered-proof.ts';
import { type SectorShape, sectorShape } from './sector.ts';

/** What the public inputs of every partition of a seal follow from. */
export interface PublicStatement {
  readonly shape: SectorShape;
  readonly replicaId: Uint8Array;
  readonly commD: Uint8Array;
  readonly commR: Uint8Array;
  readonly challengeAt: ChallengeAt;
  readonly graph: StackedGraph;
}

/** The statement of a seal under a registered proof; values of 32 bytes. */
export function publicStatementOf(
  seal: {
    readonly registeredProof: RegisteredProof;
    readonly replicaId: Uint8Array;
    readonly commD: Uint8Array;
    readonly commR: Uint8Array;
    readonly seed: Uint8Array;
  },
  hashes: Hashes,
): PublicStatement {
  const { registeredProof, replicaId, commD, commR, seed } = seal;
  const { variant, porepId, apiVersion } = registeredProof;
  const shape = sectorShape(registeredProof.sectorBytes);
  const { nodes } = shape;
  return {
    shape,
    replicaId,
    commD,
    commR,
    challengeAt: challengeDerivation({ variant, nodes, replicaId, commR, seed }, hashes),
    graph: stackedGraph(nodes, porepId, apiVersion, hashes),
  };
}

/** Challenged nodes of partition k, in order (spec §7.6). */
export function partitionChallenges(
  { shape, challengeAt }: Pick<PublicStatement, 'shape' | 'challengeAt'>,
  partition: number,
): number[] {
  const n = shape.challengesPerPartition;
  return Array.from({ length: n }, (_, i) => challengeAt(n * partition + i));
}

/**
 * Public inputs of partition k without ONE, 32 bytes canonical little-endian each (spec §7.5): replica_id,
 * comm_d, comm_r, then 18 per challenge: D position, 6 DRG and 8 expander parents, challenge, R and C position.
 */
export function publicInputsOf(statement: PublicStatement, partition: number): Uint8Array[] {
  const inputs = [statement.replicaId, statement.commD, statement.commR];
  for (const node of partitionChallenges(statement, partition)) {
    const { drg, exp } = statement.graph(node);
    for (const position of [node, ...drg, ...exp, node, node, node]) {
      inputs.push(bigintToLe(BigInt(position), 32));
    }
  }
  return inputs;
}
