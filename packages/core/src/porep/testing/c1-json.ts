import type { ChallengeProof, ColumnProof, LabelProof, MerkleProof } from '../c1-document.ts';
import type { PathElement } from '../partition-input.ts';
import type { SectorShape } from '../sector.ts';
import type { SealedSector } from './seal-sector.ts';

/** A C1 as JSON text in the field order of the FFI, one piece per challenge. */
export function* c1JsonPieces({ header, shape, proofs }: SealedSector): Generator<string> {
  const { registeredProof } = header;
  const sizeKey = `StackedDrg${shape.name}V1`;
  yield `{"registered_proof":"${registeredProof.name}","vanilla_proofs":{"${sizeKey}":[`;
  for (const [k, partition] of proofs.entries()) {
    yield k === 0 ? '[' : ',[';
    for (const [i, proof] of partition.entries()) {
      yield `${i === 0 ? '' : ','}${JSON.stringify(challengeJson(proof, shape))}`;
    }
    yield ']';
  }
  const rest = {
    comm_r: [...header.commR],
    comm_d: [...header.commD],
    replica_id: [...header.replicaId],
    seed: [...header.seed],
    ticket: [...header.ticket],
  };
  yield `]},${JSON.stringify(rest).slice(1)}`;
}

/** The same as bytes. */
export const c1JsonBytes = (sector: SealedSector): Uint8Array =>
  new TextEncoder().encode([...c1JsonPieces(sector)].join(''));

export function challengeJson(proof: ChallengeProof, shape: SectorShape) {
  return {
    comm_d_proofs: merkleJson(proof.commD, { sub: 0, top: 0 }),
    comm_r_last_proof: merkleJson(proof.commRLast, shape.tree),
    replica_column_proofs: {
      c_x: columnJson(proof.column, shape),
      drg_parents: proof.drgParents.map((column) => columnJson(column, shape)),
      exp_parents: proof.expParents.map((column) => columnJson(column, shape)),
    },
    labeling_proofs: proof.labeling.map(labelJson),
    encoding_proof: labelJson(proof.encoding),
  };
}

function merkleJson({ root, leaf, path }: MerkleProof, { sub, top }: { sub: number; top: number }) {
  const ends = { root: [...root], leaf: [...leaf] };
  if (sub === 0) return { data: { Single: { ...ends, path: pathJson(path.base) } } };
  const lower = { base_proof: pathJson(path.base), sub_proof: pathJson(path.sub) };
  if (top === 0) return { data: { Sub: { ...lower, ...ends } } };
  return { data: { Top: { ...lower, top_proof: pathJson(path.top), ...ends } } };
}

const pathJson = (elements: readonly PathElement[]) => ({
  path: elements.map(({ siblings, index }) => ({
    hashes: siblings.map((sibling) => [...sibling]),
    index,
  })),
});

const columnJson = ({ index, rows, inclusion }: ColumnProof, shape: SectorShape) => ({
  column: { index, rows: rows.map((row) => [...row]), _h: null },
  inclusion_proof: merkleJson(inclusion, shape.tree),
});

const labelJson = ({ parents, layerIndex, node }: LabelProof) => ({
  parents: parents.map((parent) => [...parent]),
  layer_index: layerIndex,
  node,
});
