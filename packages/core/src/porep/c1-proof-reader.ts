import type { ChallengeProof, ColumnProof, LabelProof, MerkleProof } from './c1-document.ts';
import { readFr } from './json-bytes32.ts';
import type { JsonInput, Reader } from './json-input.ts';
import { readInteger } from './json-scalar.ts';
import { readAlternative, readArray, readObject } from './json-value.ts';
import type { PathElement } from './partition-input.ts';
import { DRG_PARENTS, EXP_PARENTS, LABEL_PARENTS, type SectorShape } from './sector.ts';

const U32_MAX = 2 ** 32 - 1;

/**
 * Reader of one challenge's proof (spec §2.3) for a sector shape. Every count is held to the shape, so the
 * memory of a challenge is bounded by the shape and not by the document. Throws C1_MALFORMED.
 */
export function challengeProofReader(shape: SectorShape): Reader<ChallengeProof> {
  const commD = merkleProof('Single', { path: pathOf(2, shape.commDDepth) });
  const tree = merkleProof(...treeParts(shape));
  const column = columnProof(shape, tree);
  const label = labelProof(shape);
  const columns: Reader<ReplicaColumnProofs> = (input) =>
    readObject<ReplicaColumnProofs>(input, {
      c_x: column,
      drg_parents: (field) => readArray(field, DRG_PARENTS, 'DRG parents', column),
      exp_parents: (field) => readArray(field, EXP_PARENTS, 'expander parents', column),
    });
  return function* (input) {
    const proof = yield* readObject<ChallengeFields>(input, {
      comm_d_proofs: commD,
      comm_r_last_proof: tree,
      replica_column_proofs: columns,
      labeling_proofs: (field) => readArray(field, shape.layers, 'layers', label),
      encoding_proof: label,
    });
    return {
      commD: proof.comm_d_proofs,
      commRLast: proof.comm_r_last_proof,
      column: proof.replica_column_proofs.c_x,
      drgParents: proof.replica_column_proofs.drg_parents,
      expParents: proof.replica_column_proofs.exp_parents,
      labeling: proof.labeling_proofs,
      encoding: proof.encoding_proof,
    };
  };
}

interface ReplicaColumnProofs {
  c_x: ColumnProof;
  drg_parents: ColumnProof[];
  exp_parents: ColumnProof[];
}

interface ChallengeFields {
  comm_d_proofs: MerkleProof;
  comm_r_last_proof: MerkleProof;
  replica_column_proofs: ReplicaColumnProofs;
  labeling_proofs: LabelProof[];
  encoding_proof: LabelProof;
}

type PathReader = Reader<PathElement[]>;
/** The path sections of a Merkle proof under the field names of the document. */
interface PathReaders {
  path?: PathReader;
  base_proof?: PathReader;
  sub_proof?: PathReader;
  top_proof?: PathReader;
}

/** Name and path sections of a tree C or R proof: how the trees are cut decides both (spec §2.3). */
function treeParts(shape: SectorShape): ['Single' | 'Sub' | 'Top', PathReaders] {
  const { base, sub, top } = shape.tree;
  const basePath = pathOf(base, shape.basePathLength);
  if (sub === 0) return ['Single', { path: basePath }];
  const lower = { base_proof: basePath, sub_proof: pathOf(sub, 1) };
  return top === 0 ? ['Sub', lower] : ['Top', { ...lower, top_proof: pathOf(top, 1) }];
}

function merkleProof(kind: 'Single' | 'Sub' | 'Top', paths: PathReaders): Reader<MerkleProof> {
  type Fields = { root: Uint8Array; leaf: Uint8Array } & {
    [K in keyof PathReaders]: PathElement[];
  };
  const readers = { root: readFr, leaf: readFr, ...paths };
  const sections = function* (input: JsonInput) {
    const fields = yield* readObject<Fields>(input, readers);
    const { path, base_proof, sub_proof, top_proof } = fields;
    return {
      root: fields.root,
      leaf: fields.leaf,
      path: { base: path ?? base_proof ?? [], sub: sub_proof ?? [], top: top_proof ?? [] },
    };
  };
  const variant: Reader<MerkleProof> = (input) =>
    readAlternative(
      input,
      (key) => (key === kind ? sections : undefined),
      `the key "${kind}", by the sector size`,
    );
  return function* (input) {
    return (yield* readObject<{ data: MerkleProof }>(input, { data: variant })).data;
  };
}

function pathOf(arity: number, length: number): PathReader {
  const hashes: Reader<Uint8Array[]> = (input) => readArray(input, arity - 1, 'siblings', readFr);
  const element = function* (input: JsonInput) {
    const fields = yield* readObject<{ hashes: Uint8Array[]; index: number }>(input, {
      hashes,
      index: (field) => readInteger(field, arity - 1, 'a position among siblings is out of range'),
    });
    return { siblings: fields.hashes, index: fields.index };
  };
  const elements: PathReader = (input) => readArray(input, length, 'path elements', element);
  return function* (input) {
    return (yield* readObject<{ path: PathElement[] }>(input, { path: elements })).path;
  };
}

/** The phantom field `_h` of a column carries nothing and is ignored like an unknown one. */
function columnProof(shape: SectorShape, inclusion: Reader<MerkleProof>): Reader<ColumnProof> {
  type Column = { index: number; rows: Uint8Array[] };
  const column: Reader<Column> = (input) =>
    readObject<Column>(input, {
      index: (field) => readInteger(field, U32_MAX),
      rows: (field) => readArray(field, shape.layers, 'layers', readFr),
    });
  return function* (input) {
    const fields = yield* readObject<{ column: Column; inclusion_proof: MerkleProof }>(input, {
      column,
      inclusion_proof: inclusion,
    });
    return { ...fields.column, inclusion: fields.inclusion_proof };
  };
}

function labelProof(shape: SectorShape): Reader<LabelProof> {
  return function* (input) {
    const fields = yield* readObject<{
      parents: Uint8Array[];
      layer_index: number;
      node: number;
    }>(input, {
      parents: (field) => readArray(field, LABEL_PARENTS, 'parents', readFr),
      layer_index: (field) => readInteger(field, shape.layers, 'a layer is out of range'),
      node: (field) => readInteger(field, shape.nodes - 1, 'a node is outside the sector'),
    });
    return { parents: fields.parents, layerIndex: fields.layer_index, node: fields.node };
  };
}
