import {
  type BrokenC1,
  COLUMNS,
  changed,
  FIRST,
  flip,
  HEX,
  inconsistent,
  KEY,
  malformed,
  PROOFS,
  parse,
  pathRoot,
  single,
  zeros,
} from './break-c1.ts';
import { readC1Case } from './vectors.ts';

/** Lists of a wrong length. */
export const COUNTS: readonly BrokenC1[] = [
  changed(
    'no partition',
    (document) => {
      document.vanilla_proofs[KEY] = [];
    },
    malformed(PROOFS, 'number of partitions', '1 partitions', '0'),
  ),
  changed(
    'too many partitions',
    (document) => {
      document.vanilla_proofs[KEY].push(document.vanilla_proofs[KEY][0]);
    },
    malformed(PROOFS, 'number of partitions', '1 partitions', '2 or more'),
  ),
  changed(
    'too few partitions, proof type last',
    (document) => {
      const { registered_proof } = document;
      delete document.registered_proof;
      document.registered_proof = registered_proof.replace('V1_1', 'V1_2_Feat_NonInteractivePoRep');
    },
    malformed(PROOFS, 'number of partitions', '13 partitions', '1'),
  ),
  changed(
    'empty partition',
    (document) => {
      document.vanilla_proofs[KEY][0] = [];
    },
    malformed(`${PROOFS}/0`, 'number of challenges', '2 challenges', '0'),
  ),
  changed(
    'too many challenges',
    (document, first) => {
      document.vanilla_proofs[KEY][0].push(first);
    },
    malformed(`${PROOFS}/0`, 'number of challenges', '2 challenges', '3 or more'),
  ),
  changed(
    'too few layers',
    (_, first) => {
      first.labeling_proofs.pop();
    },
    malformed(`${FIRST}/labeling_proofs`, 'number of layers', '2 layers', '1'),
  ),
  changed(
    'too many layers in a column',
    (_, first) => {
      first.replica_column_proofs.c_x.column.rows.push(zeros);
    },
    malformed(`${COLUMNS}/c_x/column/rows`, 'number of layers', '2 layers', '3 or more'),
  ),
  changed(
    'too few parents',
    (_, first) => {
      first.replica_column_proofs.exp_parents.pop();
    },
    malformed(`${COLUMNS}/exp_parents`, 'number of expander parents', '8 expander parents', '7'),
  ),
  changed(
    'too few path elements',
    (_, first) => {
      single(first.comm_d_proofs).path.path.pop();
    },
    malformed(
      `${FIRST}/comm_d_proofs/data/Single/path/path`,
      'number of path elements',
      '6 path elements',
      '5',
    ),
  ),
  changed(
    'too many path elements',
    (_, first) => {
      const { path } = single(first.comm_r_last_proof).path;
      path.push(path[0]);
    },
    malformed(
      `${FIRST}/comm_r_last_proof/data/Single/path/path`,
      'number of path elements',
      '2 path elements',
      '3 or more',
    ),
  ),
  changed(
    'too few siblings',
    (_, first) => {
      single(first.replica_column_proofs.c_x.inclusion_proof).path.path[1].hashes.pop();
    },
    malformed(
      `${COLUMNS}/c_x/inclusion_proof/data/Single/path/path/1/hashes`,
      'number of siblings',
      '7 siblings',
      '6',
    ),
  ),
];

/** Values that contradict each other. */
export const CONTENT: readonly BrokenC1[] = [
  changed(
    'sibling in tree D',
    (_, first) => flip(single(first.comm_d_proofs).path.path[3].hashes[0]),
    inconsistent(
      `${FIRST}/comm_d_proofs`,
      'does not lead to its root',
      pathRoot,
      'hashes that end in another value',
    ),
  ),
  changed(
    'sibling in tree R',
    (_, first) => flip(single(first.comm_r_last_proof).path.path[0].hashes[6]),
    inconsistent(
      `${FIRST}/comm_r_last_proof`,
      'does not lead to its root',
      pathRoot,
      'hashes that end in another value',
    ),
  ),
  changed(
    'sibling near the root of tree C',
    (_, first) =>
      flip(
        single(first.replica_column_proofs.exp_parents[7].inclusion_proof).path.path[1].hashes[2],
      ),
    inconsistent(
      `${COLUMNS}/exp_parents/7/inclusion_proof`,
      'does not lead to its root',
      pathRoot,
      'hashes that end in another value',
    ),
  ),
  changed(
    'path from another node',
    (_, first) => {
      single(first.comm_d_proofs).path.path[0].index ^= 1;
    },
    inconsistent(
      `${FIRST}/comm_d_proofs`,
      'starts at another node',
      'a path from node 40',
      'a path from node 41',
    ),
  ),
  changed(
    'label of a parent column',
    (_, first) => flip(first.replica_column_proofs.drg_parents[0].column.rows[0]),
    inconsistent(
      `${COLUMNS}/drg_parents/0/column/rows`,
      'column does not hash to its leaf',
      'labels whose hash is the leaf of the inclusion proof',
      'labels with another hash',
    ),
  ),
  changed(
    'index of a column',
    (_, first) => {
      first.replica_column_proofs.c_x.column.index = 7;
    },
    inconsistent(`${COLUMNS}/c_x/column/index`, 'belongs to another node', '40', '7'),
  ),
  changed(
    'parent in a labeling proof',
    (_, first) => flip(first.labeling_proofs[1].parents[20]),
    inconsistent(
      `${FIRST}/labeling_proofs/1/parents/20`,
      'not the label of the parent column',
      'the label that the parent column has in this layer',
      'another value',
    ),
  ),
  changed(
    'layers exchanged',
    (_, first) => first.labeling_proofs.reverse(),
    inconsistent(`${FIRST}/labeling_proofs/0/layer_index`, 'belongs to another layer', '1', '2'),
  ),
  changed(
    'node of the encoding proof',
    (_, first) => {
      first.encoding_proof.node = 41;
    },
    inconsistent(`${FIRST}/encoding_proof/node`, 'belongs to another node', '40', '41'),
  ),
  changed(
    'challenge of another sector',
    (document) => {
      const other = parse(readC1Case('2KiB-V1_1-b').c1);
      document.vanilla_proofs[KEY][0][1] = other.vanilla_proofs[KEY][0][1];
    },
    inconsistent(
      `${PROOFS}/0/1/comm_d_proofs`,
      'roots of tree D differ',
      'the root of the first challenge of the document',
      'another root',
    ),
  ),
  changed(
    'challenges exchanged',
    (document) => document.vanilla_proofs[KEY][0].reverse(),
    inconsistent(`${FIRST}/labeling_proofs/0/node`, 'not the one that the seed demands', '40', '1'),
  ),
  changed(
    'other seed',
    (document) => flip(document.seed),
    inconsistent(
      `${FIRST}/labeling_proofs/0/node`,
      'not the one that the seed demands',
      /^[0-9]+$/,
      '40',
    ),
  ),
  ...['comm_d', 'ticket', 'replica_id'].map((field) =>
    changed(
      `replica_id that does not follow, ${field} changed`,
      (document) => flip(document[field]),
      inconsistent('/replica_id', 'does not follow from miner', HEX, HEX),
    ),
  ),
  changed(
    'replica_id of another proof type',
    (document) => {
      document.registered_proof = 'StackedDrg2KiBV1';
    },
    inconsistent('/replica_id', 'does not follow from miner', HEX, HEX),
  ),
  changed(
    'roots that do not give comm_r',
    (document) => flip(document.comm_r),
    inconsistent('/comm_r', 'do not give comm_r', 'the hash of both roots', HEX),
  ),
];
