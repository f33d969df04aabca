import type {
  C1Header,
  ChallengeProof,
  ColumnProof,
  LabelProof,
  MerkleProof,
} from './c1-document.ts';
import type { PathElement } from './partition-input.ts';
import type { SectorShape } from './sector.ts';

/** What a C1 document is written from. */
export interface C1Source {
  readonly shape: SectorShape;
  readonly header: C1Header;
  /** Per partition, per challenge. */
  readonly proofs: readonly Iterable<ChallengeProof>[];
}

/**
 * A C1 as compact JSON text in the field order of the FFI (spec §2.1, §2.2), in one piece per challenge (220 KB
 * at 32 GiB): only that challenge's proof is held.
 */
export function* c1JsonPieces({ header, shape, proofs }: C1Source): Generator<string> {
  const { registeredProof } = header;
  yield `{"registered_proof":"${registeredProof.name}","vanilla_proofs":{"${registeredProof.sizeKey}":[`;
  for (const [k, partition] of proofs.entries()) {
    yield k === 0 ? '[' : ',[';
    let separator = '';
    for (const proof of partition) {
      yield separator + challengeJson(proof, shape);
      separator = ',';
    }
    yield ']';
  }
  yield `]},${fields({
    comm_r: bytesJson(header.commR),
    comm_d: bytesJson(header.commD),
    replica_id: bytesJson(header.replicaId),
    seed: bytesJson(header.seed),
    ticket: bytesJson(header.ticket),
  })}}`;
}

/** One challenge's proof (spec §2.3). */
export function challengeJson(proof: ChallengeProof, shape: SectorShape): string {
  const columns = {
    c_x: columnJson(proof.column, shape),
    drg_parents: list(proof.drgParents, (column) => columnJson(column, shape)),
    exp_parents: list(proof.expParents, (column) => columnJson(column, shape)),
  };
  return object({
    comm_d_proofs: merkleJson(proof.commD, { sub: 0, top: 0 }),
    comm_r_last_proof: merkleJson(proof.commRLast, shape.tree),
    replica_column_proofs: object(columns),
    labeling_proofs: list(proof.labeling, labelJson),
    encoding_proof: labelJson(proof.encoding),
  });
}

/** `key: value` pairs whose values are JSON already; the keys need no escapes. */
const fields = (values: Readonly<Record<string, string | number>>): string =>
  Object.entries(values)
    .map(([key, value]) => `"${key}":${value}`)
    .join();

const object = (values: Readonly<Record<string, string | number>>): string => `{${fields(values)}}`;

const list = <T>(items: readonly T[], json: (item: T) => string): string =>
  `[${items.map(json).join()}]`;

const bytesJson = (bytes: Uint8Array): string => `[${bytes.join()}]`;

function merkleJson({ root, leaf, path }: MerkleProof, { sub, top }: { sub: number; top: number }) {
  const ends = { root: bytesJson(root), leaf: bytesJson(leaf) };
  const named = (name: string, sections: Record<string, string>): string =>
    object({ data: object({ [name]: object(sections) }) });
  if (sub === 0) return named('Single', { ...ends, path: pathJson(path.base) });
  const lower = { base_proof: pathJson(path.base), sub_proof: pathJson(path.sub) };
  if (top === 0) return named('Sub', { ...lower, ...ends });
  return named('Top', { ...lower, top_proof: pathJson(path.top), ...ends });
}

const pathJson = (elements: readonly PathElement[]): string =>
  object({
    path: list(elements, ({ siblings, index }) =>
      object({ hashes: list(siblings, bytesJson), index }),
    ),
  });

function columnJson({ index, rows, inclusion }: ColumnProof, shape: SectorShape): string {
  const column = object({ index, rows: list(rows, bytesJson), _h: 'null' });
  return object({ column, inclusion_proof: merkleJson(inclusion, shape.tree) });
}

const labelJson = ({ parents, layerIndex, node }: LabelProof): string =>
  object({ parents: list(parents, bytesJson), layer_index: layerIndex, node });
