import { utf8ToBytes } from '@noble/hashes/utils.js';
import { bigintFromLe, bigintToLe } from '../../bytes.ts';
import { expandParents } from '../../hash/sha256-words.ts';
import type { C1Header, ChallengeProof, ColumnProof, MerkleProof } from '../c1-document.ts';
import { c1JsonPieces } from '../c1-json.ts';
import { challengeDerivation } from '../challenges.ts';
import { type StackedGraph, stackedGraph } from '../graph.ts';
import type { PublicStatement } from '../public-inputs.ts';
import { registeredProof } from '../registered-proof.ts';
import { clearTopBits, replicaIdOf } from '../replica-id.ts';
import { type SectorShape, sectorShape } from '../sector.ts';
import { type SparseTree, sparseTree } from '../synthetic/sparse-tree.ts';
import { encodeNode, labelOf, treeDNode } from '../vanilla.ts';
import { nodeHashes } from './node-hashes.ts';

/** Sectors up to this size are sealed whole. */
const WHOLE_SECTOR_NODES = 1024;

export interface SealOptions {
  /** Name of a registered proof; its porep id, rules and number of partitions are used. */
  readonly proof: string;
  /** Another size than the proof's, for the shapes that have no registered proof. */
  readonly sectorBytes?: number;
  /** Another number of challenges, all partitions together, than the proof's. */
  readonly challenges?: number;
  readonly proverId: Uint8Array;
  readonly sectorId: bigint;
  readonly ticket: Uint8Array;
  readonly seed: Uint8Array;
  /** Data of a node, whole sectors only; zero where absent, as in a committed-capacity sector. */
  readonly data?: (node: number) => Uint8Array;
  /** Wrong steps on purpose. */
  readonly tamper?: Tampering;
}

/** Each replaces a right value; the rest of the sector is then built upon the wrong one. */
export interface Tampering {
  readonly commD?: Uint8Array;
  readonly label?: (right: Uint8Array, node: number, layer: number) => Uint8Array;
  readonly encoded?: (right: Uint8Array, node: number) => Uint8Array;
  readonly graph?: (right: StackedGraph) => StackedGraph;
  readonly challenge?: (right: number, j: number) => number;
}

export interface SealedSector {
  readonly shape: SectorShape;
  readonly header: C1Header;
  /** Shape, challenges and graph, for a size that is not the proof's own. */
  readonly rules: Pick<PublicStatement, 'shape' | 'challengeAt' | 'graph'>;
  /** Per partition, per challenge. */
  readonly proofs: readonly (readonly ChallengeProof[])[];
}

/**
 * Seals a sector in plain code. Up to 32 KiB the whole of it, any variant. Bigger ones are sealed where the
 * challenges look only: labels of parents and subtrees of no challenge are made up, which no check can tell
 * from a real sector; this needs an interactive proof, whose challenges do not depend on comm_r.
 */
export function sealSector(options: SealOptions): SealedSector {
  const proof = registeredProof(options.proof);
  const shape = sectorShape(options.sectorBytes ?? proof.sectorBytes);
  const whole = shape.nodes <= WHOLE_SECTOR_NODES;
  const { ticket, seed, tamper = {} } = options;
  const { porepId, apiVersion, variant } = proof;

  const treeD = dataTree(shape, whole, options.data);
  const commD = tamper.commD ?? treeD.root;
  const replicaId = replicaIdOf({ ...options, commD, porepId }, nodeHashes);
  const rightGraph = stackedGraph(shape.nodes, porepId, apiVersion, nodeHashes);
  const graph = tamper.graph?.(rightGraph) ?? rightGraph;
  const rulesFor = (commR: Uint8Array): SealedSector['rules'] => {
    const source = { variant, nodes: shape.nodes, replicaId, commR, seed };
    return { shape, challengeAt: challengeDerivation(source, nodeHashes), graph: rightGraph };
  };
  const drawn = (commR: Uint8Array): number[] => {
    const at = rulesFor(commR).challengeAt;
    const count = options.challenges ?? shape.challengesPerPartition * proof.partitions;
    return Array.from({ length: count }, (_, j) => tamper.challenge?.(at(j), j) ?? at(j));
  };

  if (!whole && (variant === 'Synthetic' || variant === 'NonInteractive')) {
    throw new RangeError(
      'sealSector: a sparse sector needs challenges that do not depend on comm_r',
    );
  }
  const early = whole ? range(shape.nodes) : drawn(new Uint8Array(32));
  const columnOf = labelColumns(shape, graph, replicaId, new Set(early), tamper.label);
  const columnNodes = new Set(
    early.flatMap((node) => [node, ...graph(node).drg, ...graph(node).exp]),
  );
  const treeC = poseidonTree(shape, 'c', columnNodes, (node) =>
    nodeHashes.poseidon(columnOf(node)),
  );
  const treeR = poseidonTree(shape, 'r', new Set(early), (node) => {
    const encoded = encodeNode(treeD.leaf(node), columnOf(node)[shape.layers - 1]);
    return tamper.encoded?.(encoded, node) ?? encoded;
  });
  const commR = nodeHashes.poseidon([treeC.root, treeR.root]);

  const merkle = (tree: SparseTree, node: number): MerkleProof => ({
    root: tree.root,
    leaf: tree.leaf(node),
    path: tree.path(node),
  });
  const column = (node: number): ColumnProof => ({
    index: node,
    rows: columnOf(node),
    inclusion: merkle(treeC, node),
  });
  const challengeProof = (node: number): ChallengeProof => {
    const { drg, exp } = graph(node);
    const labeling = range(shape.layers).map((i) => ({
      parents: expandParents(
        drg.map((parent) => columnOf(parent)[i]),
        i === 0 ? [] : exp.map((parent) => columnOf(parent)[i - 1]),
      ),
      layerIndex: i + 1,
      node,
    }));
    return {
      commD: merkle(treeD, node),
      commRLast: merkle(treeR, node),
      column: column(node),
      drgParents: drg.map(column),
      expParents: exp.map(column),
      labeling,
      encoding: labeling[shape.layers - 1],
    };
  };
  const all = drawn(commR).map(challengeProof);
  const n = shape.challengesPerPartition;
  return {
    shape,
    header: { registeredProof: proof, commR, commD, replicaId, seed, ticket },
    rules: rulesFor(commR),
    proofs: range(Math.ceil(all.length / n)).map((k) => all.slice(k * n, (k + 1) * n)),
  };
}

/** The C1 document of a sector whose size is the proof's own. */
export const sealedC1 = (sector: SealedSector): Uint8Array =>
  utf8ToBytes([...c1JsonPieces(sector)].join(''));

const range = (count: number): number[] => Array.from({ length: count }, (_, i) => i);

/** A field element that follows from a name and nothing else. */
export const madeUpFr = (name: string): Uint8Array =>
  clearTopBits(nodeHashes.sha256(utf8ToBytes(name)));

function dataTree(shape: SectorShape, whole: boolean, data: SealOptions['data']): SparseTree {
  if (data && !whole) throw new RangeError('sealSector: data of its own needs a whole sector');
  const hash = ([left, right]: readonly Uint8Array[]) => treeDNode(left, right, nodeHashes);
  const zeros: Uint8Array[] = [new Uint8Array(32)];
  for (let level = 0; level < shape.commDDepth; level++)
    zeros.push(hash([zeros[level], zeros[level]]));
  const leaves = new Map(data ? range(shape.nodes).map((node) => [node, data(node)]) : []);
  const binary = { base: 2, sub: 0, top: 0 };
  return sparseTree(leaves, binary, shape.commDDepth, hash, (level) => zeros[level]);
}

function poseidonTree(
  shape: SectorShape,
  name: string,
  nodes: ReadonlySet<number>,
  leafOf: (node: number) => Uint8Array,
): SparseTree {
  const leaves = new Map([...nodes].map((node) => [node, leafOf(node)]));
  const filler = (level: number, index: number) => madeUpFr(`tree ${name} ${level} ${index}`);
  return sparseTree(leaves, shape.tree, shape.basePathLength, nodeHashes.poseidon, filler);
}

/** Labels of any node, layer 1 first: computed for the `real` nodes, made up for others. */
function labelColumns(
  shape: SectorShape,
  graph: StackedGraph,
  replicaId: Uint8Array,
  real: ReadonlySet<number>,
  tamper: Tampering['label'],
): (node: number) => Uint8Array[] {
  const labels = new Map<number, Uint8Array>();
  const compute = (node: number, layer: number): Uint8Array => {
    if (!real.has(node)) return madeUpFr(`label ${layer} ${node}`);
    const right = labelOf(replicaId, layer, node, parentLabels(node, layer), nodeHashes);
    return tamper?.(right, node, layer) ?? right;
  };
  const parentLabels = (node: number, layer: number): Uint8Array[] => {
    if (node === 0) return [];
    const { drg, exp } = graph(node);
    return expandParents(
      drg.map((parent) => label(parent, layer)),
      layer === 1 ? [] : exp.map((parent) => label(parent, layer - 1)),
    );
  };
  const label = (node: number, layer: number): Uint8Array => {
    const key = layer * shape.nodes + node;
    const known = labels.get(key);
    if (known !== undefined) return known;
    const value = compute(node, layer);
    labels.set(key, value);
    return value;
  };
  // In this order, labels are asked for after those they follow from, so recursion stays shallow.
  if (real.size === shape.nodes) {
    for (const layer of range(shape.layers)) for (const node of real) label(node, layer + 1);
  }
  return (node) => range(shape.layers).map((i) => label(node, i + 1));
}

/** Fr32 padding: 127 bytes become four nodes of 254 bits (spec §7.9). `unpadded` holds whole groups of 127 bytes. */
export function fr32Nodes(unpadded: Uint8Array): Uint8Array[] {
  const mask = 2n ** 254n - 1n;
  return range(unpadded.length / 127).flatMap((group) => {
    const bits = bigintFromLe(unpadded.subarray(127 * group, 127 * (group + 1)));
    return range(4).map((i) => bigintToLe((bits >> BigInt(254 * i)) & mask, 32));
  });
}
