import type {
  ChallengeInput,
  ColumnInput,
  MerklePath,
  PartitionInput,
} from '../partition-input.ts';
import { sectorShape } from '../sector.ts';

type Bytes = number[];
interface Path {
  path: { hashes: Bytes[]; index: number }[];
}
interface Single {
  root: Bytes;
  leaf: Bytes;
  path: Path;
}
interface Proof {
  data: { Single: Single };
}
interface Column {
  column: { rows: Bytes[] };
  inclusion_proof: Proof;
}
interface Vanilla {
  comm_d_proofs: Proof;
  comm_r_last_proof: Proof;
  replica_column_proofs: { c_x: Column; drg_parents: Column[]; exp_parents: Column[] };
  labeling_proofs: { node: number }[];
}
interface C1 {
  vanilla_proofs: Record<string, Vanilla[][]>;
  comm_r: Bytes;
  comm_d: Bytes;
  replica_id: Bytes;
}

const b32 = (bytes: Bytes): Uint8Array => Uint8Array.from(bytes);
const path = ({ data }: Proof): MerklePath => ({
  base: data.Single.path.path.map(({ hashes, index }) => ({ siblings: hashes.map(b32), index })),
  sub: [],
  top: [],
});
const column = ({ column: { rows }, inclusion_proof }: Column): ColumnInput => ({
  rows: rows.map(b32),
  path: path(inclusion_proof),
});
const challenge = (v: Vanilla): ChallengeInput => ({
  node: v.labeling_proofs[0].node,
  dataLeaf: b32(v.comm_d_proofs.data.Single.leaf),
  commDPath: path(v.comm_d_proofs),
  drgParents: v.replica_column_proofs.drg_parents.map(column),
  expParents: v.replica_column_proofs.exp_parents.map(column),
  commRLastPath: path(v.comm_r_last_proof),
  columnPath: path(v.replica_column_proofs.c_x.inclusion_proof),
});

/** Partition 0 of a well-formed C1 of a size whose trees are single. */
export function rawPartition(text: string, sectorBytes: number): PartitionInput {
  const c1 = JSON.parse(text) as C1;
  const vanilla = Object.values(c1.vanilla_proofs)[0][0];
  return {
    sectorBytes: sectorShape(sectorBytes).sectorBytes,
    partition: 0,
    replicaId: b32(c1.replica_id),
    commD: b32(c1.comm_d),
    commR: b32(c1.comm_r),
    commRLast: b32(vanilla[0].comm_r_last_proof.data.Single.root),
    commC: b32(vanilla[0].replica_column_proofs.c_x.inclusion_proof.data.Single.root),
    challenges: vanilla.map(challenge),
    publicInputs: [],
  };
}
