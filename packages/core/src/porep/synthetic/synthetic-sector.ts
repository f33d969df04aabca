import type { C1Header, ChallengeProof } from '../c1-document.ts';
import { type ChallengeAt, challengeDerivation } from '../challenges.ts';
import { type StackedGraph, stackedGraph } from '../graph.ts';
import type { Hashes } from '../hashes.ts';
import { challengeInputOf, partitionInputOf } from '../partition-from-proofs.ts';
import type { PartitionInput } from '../partition-input.ts';
import { type PublicStatement, partitionChallenges } from '../public-inputs.ts';
import type { PorepVariant, RegisteredProof } from '../registered-proof.ts';
import { replicaIdOf } from '../replica-id.ts';
import { NODE_BYTES, type SectorShape, sectorShape } from '../sector.ts';
import { encodeNode } from '../vanilla.ts';
import { findSeed } from './find-seed.ts';
import { challengeProof, columnRows, type OpenedSector } from './opened-sector.ts';
import { poseidonTree } from './poseidon-tree.ts';
import { sealedLabels } from './sealed-labels.ts';
import { sealedNodes } from './sealed-nodes.ts';
import { type SeededValues, seededValues } from './seeded-values.ts';
import { scatteredRest, uniformRest } from './unsealed-rest.ts';
import { type ZeroDataTree, zeroDataTree } from './zero-data-tree.ts';

export interface SyntheticSectorOptions {
  /** Its size, porep id, graph rules and number of partitions are used. */
  readonly proof: RegisteredProof;
  /** Another size than the proof's, for those without a registered proof: there is no C1 of such a sector. */
  readonly sectorBytes?: number;
  readonly proverId: Uint8Array;
  /** u64. */
  readonly sectorId: bigint;
  /** u64; everything made up follows from it. */
  readonly seed: bigint;
  readonly hashes: Hashes;
}

/** A sector that was sealed where its challenges look, and the vanilla proofs that show it. */
export interface SyntheticSector {
  readonly shape: SectorShape;
  readonly header: C1Header;
  readonly statement: PublicStatement;
  /** Roots of trees C and R. */
  readonly commC: Uint8Array;
  readonly commRLast: Uint8Array;
  /** Per partition, per challenge; a proof is made each time it is asked for. */
  readonly proofs: readonly Iterable<ChallengeProof>[];
}

/**
 * Makes up a committed-capacity sector (all data zero): real graph, real labels where challenges look, values
 * that follow from the seed everywhere else, and of trees C and R only the nodes above known leaves. Its vanilla
 * proofs pass every check of ingest and satisfy the circuit; nobody holds the sector. Equal options give equal
 * bytes with any `hashes`.
 *
 * A 32 GiB sector takes some 17,000 Poseidon hashes; memory follows their number, not the sector's size. Throws
 * CuzkError REQUEST_INVALID for sizes and variants that only a real seal can have (see sealedNodes), RangeError for a
 * seed or sector id that is no u64.
 */
export function syntheticSector(options: SyntheticSectorOptions): SyntheticSector {
  const identity = sectorIdentity(options);
  const { shape, replicaId, graph, ticket, challengesFor } = identity;
  const { commD } = identity.treeD;
  const { opened, isSealed } = sealSector(identity, options.hashes);
  const { treeC, treeR } = opened;
  const commR = options.hashes.poseidon([treeC.root, treeR.root]);
  const seed = findSeed(identity, commR, isSealed);
  const challengeAt = challengesFor(commR, seed);
  return {
    shape,
    header: { registeredProof: options.proof, commR, commD, replicaId, seed, ticket },
    statement: { shape, replicaId, commD, commR, challengeAt, graph },
    commC: treeC.root,
    commRLast: treeR.root,
    proofs: Array.from({ length: options.proof.partitions }, (_, partition) => ({
      *[Symbol.iterator]() {
        for (const node of partitionChallenges({ shape, challengeAt }, partition)) {
          yield challengeProof(opened, node);
        }
      },
    })),
  };
}

/**
 * What synthesis needs of one partition, as ingest would give it after all its checks. For sizes without a
 * registered proof too. Throws RangeError where there is no such partition.
 */
export function syntheticPartition(sector: SyntheticSector, partition: number): PartitionInput {
  const proofs = sector.proofs[partition];
  if (proofs === undefined) {
    throw new RangeError(`partition: expected 0 … ${sector.proofs.length - 1}, got ${partition}`);
  }
  const challenges = Array.from(proofs, challengeInputOf);
  return partitionInputOf(sector.statement, sector, partition, challenges);
}

/** What is known of a sector before any of it is sealed. */
interface Identity {
  readonly shape: SectorShape;
  readonly variant: PorepVariant;
  readonly values: SeededValues;
  readonly treeD: ZeroDataTree;
  readonly ticket: Uint8Array;
  readonly replicaId: Uint8Array;
  readonly graph: StackedGraph;
  /** Challenges of the seal, all partitions together. */
  readonly challenges: number;
  readonly challengesFor: (commR: Uint8Array, seed: Uint8Array) => ChallengeAt;
}

function sectorIdentity(options: SyntheticSectorOptions): Identity {
  const { proof, hashes } = options;
  const { variant, porepId, apiVersion } = proof;
  const shape = sectorShape(options.sectorBytes ?? proof.sectorBytes);
  const { nodes } = shape;
  const values = seededValues(options.seed, hashes);
  const treeD = zeroDataTree(shape, hashes);
  const ticket = values('ticket', 0, 0);
  const parts = { ...options, ticket, commD: treeD.commD, porepId };
  const replicaId = replicaIdOf(parts, hashes);
  return {
    shape,
    variant,
    values,
    treeD,
    ticket,
    replicaId,
    graph: stackedGraph(nodes, porepId, apiVersion, hashes),
    challenges: shape.challengesPerPartition * proof.partitions,
    challengesFor: (commR, seed) =>
      challengeDerivation({ variant, nodes, replicaId, commR, seed }, hashes),
  };
}

function sealSector(
  identity: Identity,
  hashes: Hashes,
): { opened: OpenedSector; isSealed: (node: number) => boolean } {
  const { shape, values, treeD, replicaId, graph } = identity;
  const { layers } = shape;
  const { nodes, challenged } = sealedNodes(identity);
  const rest = challenged
    ? scatteredRest(nodes, graph, values)
    : uniformRest(nodes, shape, values, hashes);
  const labelAt = sealedLabels(nodes, { replicaId, layers, graph, hashes }, rest.labelAt);
  const columnHash = (node: number) => hashes.poseidon(columnRows(labelAt, layers, node));
  const treeC = poseidonTree(shape, rest.columnNodes, columnHash, rest.fillerC, hashes);
  const data = new Uint8Array(NODE_BYTES);
  const treeR = poseidonTree(
    shape,
    nodes,
    (node) => encodeNode(data, labelAt(node, layers)),
    (level, index) => values('treeR', level, index),
    hashes,
  );
  const set = new Set(nodes);
  return {
    opened: { layers, graph, labelAt, treeD, treeC, treeR },
    isSealed: (node) => set.has(node),
  };
}
