import { bytesEqual } from '../bytes.ts';
import { CuzkError } from '../errors.ts';
import { expandParents } from '../hash/sha256-words.ts';
import type { ChallengeProof, ColumnProof, LabelProof, MerkleProof } from './c1-document.ts';
import type { Hashes } from './hashes.ts';
import { leafPosition, type PathRoot, pathRootPlain, rememberingPathRoot } from './merkle-path.ts';
import { encodeNode, treeDNode } from './vanilla.ts';

/** Roots that all challenges of a seal share. */
export interface SealRoots {
  readonly commD: Uint8Array;
  readonly commC: Uint8Array;
  readonly commRLast: Uint8Array;
}

/**
 * Checks what a challenge's proof says about itself, without the statement (spec §7.9): every path leads to
 * its root; columns hash to their leaves; the label parents are the columns' labels; the replica leaf is the
 * encoded data; all positions are those of one node; the roots are those of the challenges before. Throws
 * C1_INCONSISTENT with a pointer under `pointer`.
 */
export type ChallengeCheck = (proof: ChallengeProof, pointer: string) => SealRoots;

/** One check for all challenges of a document. Proofs must have the counts of their sector shape. */
export function challengeCheck(hashes: Hashes): ChallengeCheck {
  const rootD: PathRoot = (leaf, path) =>
    pathRootPlain(leaf, path, ([left, right]) => treeDNode(left, right, hashes));
  const rootC = rememberingPathRoot(hashes.poseidon);
  const rootR = rememberingPathRoot(hashes.poseidon);
  let shared: SealRoots | undefined;

  return (proof, pointer) => {
    const { node } = proof.labeling[0];
    const columnPointer = `${pointer}/replica_column_proofs`;
    checkPath(proof.commD, rootD, node, `${pointer}/comm_d_proofs`);
    checkPath(proof.commRLast, rootR, node, `${pointer}/comm_r_last_proof`);
    const roots = {
      commD: proof.commD.root,
      commC: proof.column.inclusion.root,
      commRLast: proof.commRLast.root,
    };
    shared ??= roots;
    requireSame(roots.commD, shared.commD, 'roots of tree D', `${pointer}/comm_d_proofs`);
    requireSame(
      roots.commRLast,
      shared.commRLast,
      'roots of tree R',
      `${pointer}/comm_r_last_proof`,
    );
    for (const [column, name] of namedColumns(proof)) {
      const at = `${columnPointer}/${name}`;
      requireSame(column.inclusion.root, shared.commC, 'roots of tree C', `${at}/inclusion_proof`);
      checkColumn(column, rootC, name === 'c_x' ? node : column.index, hashes, at);
    }
    checkLabelProofs(proof, pointer);
    checkEncoding(proof, pointer);
    return shared;
  };
}

function namedColumns(proof: ChallengeProof): [ColumnProof, string][] {
  return [
    [proof.column, 'c_x'],
    ...proof.drgParents.map((column, i): [ColumnProof, string] => [column, `drg_parents/${i}`]),
    ...proof.expParents.map((column, i): [ColumnProof, string] => [column, `exp_parents/${i}`]),
  ];
}

/** `expected` and `found` never carry values of the witness. */
export const inconsistent = (message: string, pointer: string, expected: string, found: string) =>
  new CuzkError('C1_INCONSISTENT', message, { expected, found, pointer });

function checkPath({ leaf, root, path }: MerkleProof, rootOf: PathRoot, node: number, at: string) {
  const position = leafPosition(path);
  if (position !== node) {
    throw inconsistent(
      'a Merkle path starts at another node',
      at,
      `a path from node ${node}`,
      `a path from node ${position}`,
    );
  }
  if (!bytesEqual(rootOf(leaf, path), root)) {
    throw inconsistent(
      'a Merkle path does not lead to its root',
      at,
      'a path whose hashes end in its root',
      'hashes that end in another value',
    );
  }
}

function checkColumn(
  column: ColumnProof,
  rootOf: PathRoot,
  node: number,
  hashes: Hashes,
  at: string,
): void {
  if (column.index !== node) {
    throw inconsistent(
      'a column belongs to another node',
      `${at}/column/index`,
      String(node),
      String(column.index),
    );
  }
  if (!bytesEqual(hashes.poseidon(column.rows), column.inclusion.leaf)) {
    throw inconsistent(
      'a column does not hash to its leaf',
      `${at}/column/rows`,
      'labels whose hash is the leaf of the inclusion proof',
      'labels with another hash',
    );
  }
  checkPath(column.inclusion, rootOf, node, `${at}/inclusion_proof`);
}

function requireSame(root: Uint8Array, first: Uint8Array, noun: string, at: string): void {
  if (bytesEqual(root, first)) return;
  throw inconsistent(
    `the ${noun} differ`,
    at,
    'the root of the first challenge of the document',
    'another root',
  );
}

function checkLabelProofs(proof: ChallengeProof, pointer: string): void {
  const drg = (layer: number) => proof.drgParents.map((column) => column.rows[layer - 1]);
  const exp = (layer: number) => proof.expParents.map((column) => column.rows[layer - 2]);
  proof.labeling.forEach((label, i) => {
    const layer = i + 1;
    const parents = expandParents(drg(layer), layer === 1 ? [] : exp(layer));
    checkLabelProof(label, layer, proof, parents, `${pointer}/labeling_proofs/${i}`);
    if (layer === proof.labeling.length) {
      checkLabelProof(proof.encoding, layer, proof, parents, `${pointer}/encoding_proof`);
    }
  });
}

function checkLabelProof(
  label: LabelProof,
  layer: number,
  proof: ChallengeProof,
  parents: readonly Uint8Array[],
  at: string,
): void {
  const { node } = proof.labeling[0];
  if (label.node !== node) {
    throw inconsistent(
      'a label proof belongs to another node',
      `${at}/node`,
      String(node),
      String(label.node),
    );
  }
  if (label.layerIndex !== layer) {
    throw inconsistent(
      'a label proof belongs to another layer',
      `${at}/layer_index`,
      String(layer),
      String(label.layerIndex),
    );
  }
  const wrong = parents.findIndex((parent, slot) => !bytesEqual(parent, label.parents[slot]));
  if (wrong < 0) return;
  throw inconsistent(
    'a label parent is not the label of the parent column',
    `${at}/parents/${wrong}`,
    'the label that the parent column has in this layer',
    'another value',
  );
}

function checkEncoding(proof: ChallengeProof, pointer: string): void {
  const key = proof.column.rows[proof.column.rows.length - 1];
  if (bytesEqual(encodeNode(proof.commD.leaf, key), proof.commRLast.leaf)) return;
  throw inconsistent(
    'the replica leaf is not the encoded data leaf',
    `${pointer}/comm_r_last_proof`,
    'data leaf plus last label',
    'another value',
  );
}
