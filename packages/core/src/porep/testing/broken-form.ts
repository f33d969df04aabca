import {
  type BrokenC1,
  byteRange,
  COLUMNS,
  changed,
  FIRST,
  facts,
  inconsistent,
  KEY,
  malformed,
  notZero,
  PROOFS,
  single,
  textual,
  zeros,
} from './break-c1.ts';

/** Documents that are no JSON. */
export const NOT_JSON: readonly BrokenC1[] = [
  textual(
    'not JSON',
    () => 'seal_commit_phase1 output\n',
    facts('C1_NOT_JSON', '', 'not JSON', 'an object', '"s" at byte 0'),
  ),
  textual(
    'empty',
    () => '',
    facts('C1_NOT_JSON', '', 'ends before', 'an object', 'end of the document after 0 bytes'),
  ),
  textual(
    'truncated',
    (document) => document.slice(0, 50_000),
    facts(
      'C1_NOT_JSON',
      `${PROOFS}/0/1/comm_d_proofs/data/Single/root/19`,
      'ends before',
      'a number',
      'end of the document after 50000 bytes',
    ),
  ),
  textual(
    'something behind the document',
    (document) => `${document},`,
    facts('C1_NOT_JSON', '', 'not JSON', 'the end of the document', '"," at byte 100065'),
  ),
];

/** Members that are missing, too many or of another kind. */
export const STRUCTURE: readonly BrokenC1[] = [
  textual(
    'not an object',
    (document) => `[${document}]`,
    malformed('', 'wrong type', 'an object', 'an array'),
  ),
  changed(
    'unknown proof type',
    (document) => {
      document.registered_proof = 'StackedDrg3KiBV1';
    },
    facts(
      'C1_UNSUPPORTED',
      '/registered_proof',
      'proof type is not known',
      'a registered PoRep proof such as StackedDrg32GiBV1_1',
      'StackedDrg3KiBV1',
    ),
  ),
  changed(
    'unknown size key',
    (document) => {
      document.vanilla_proofs = { StackedDrg2KiBV1_1: document.vanilla_proofs[KEY] };
    },
    facts(
      'C1_UNSUPPORTED',
      '/vanilla_proofs/StackedDrg2KiBV1_1',
      'size key is not known',
      'StackedDrg and a sector size and V1, e.g. StackedDrg32GiBV1',
      'StackedDrg2KiBV1_1',
    ),
  ),
  changed(
    'size key of another size',
    (document) => {
      document.vanilla_proofs = { StackedDrg8MiBV1: document.vanilla_proofs[KEY] };
    },
    inconsistent(
      '/vanilla_proofs/StackedDrg8MiBV1',
      'size key does not match',
      KEY,
      'StackedDrg8MiBV1',
    ),
  ),
  changed(
    'size key of another size, proof type last',
    (document) => {
      const { registered_proof } = document;
      delete document.registered_proof;
      document.registered_proof = registered_proof.replace('2KiB', '512MiB');
    },
    inconsistent(PROOFS, 'size key does not match', 'StackedDrg512MiBV1', KEY),
  ),
  changed(
    'missing field at the top',
    (document) => {
      delete document.ticket;
    },
    malformed('/ticket', 'field is missing', 'the field "ticket"', 'none'),
  ),
  changed(
    'missing field inside',
    (_, first) => {
      delete single(first.comm_r_last_proof).leaf;
    },
    malformed(
      `${FIRST}/comm_r_last_proof/data/Single/leaf`,
      'field is missing',
      'the field "leaf"',
      'none',
    ),
  ),
  textual(
    'field given twice',
    (document) => document.replace('"comm_r":', `"comm_r":[${zeros.with(0, 1)}],"comm_r":`),
    malformed('/comm_r', 'given twice', 'one value', 'a second one'),
  ),
  changed(
    'string for a number',
    (_, first) => {
      first.labeling_proofs[1].node = '40';
    },
    malformed(`${FIRST}/labeling_proofs/1/node`, 'wrong type', 'a number', 'a string'),
  ),
  changed(
    'Merkle proof of another tree shape',
    (_, first) => {
      first.comm_r_last_proof.data = { Sub: first.comm_r_last_proof.data.Single };
    },
    malformed(
      `${FIRST}/comm_r_last_proof/data/Sub`,
      'key does not fit',
      'the key "Single", by the sector size',
      '"Sub"',
    ),
  ),
];

/** Values that are none. */
export const VALUES: readonly BrokenC1[] = [
  changed(
    'array of 31',
    (_, first) => {
      single(first.comm_d_proofs).leaf.pop();
    },
    malformed(`${FIRST}/comm_d_proofs/data/Single/leaf`, 'number of bytes', '32 bytes', '31'),
  ),
  changed(
    'array of 33',
    (document) => {
      document.comm_r.push(0);
    },
    malformed('/comm_r', 'number of bytes', '32 bytes', '33 or more'),
  ),
  changed(
    'byte above 255',
    (document) => {
      document.seed[5] = 256;
    },
    malformed('/seed/5', 'byte is out of range', byteRange, '256'),
  ),
  changed(
    'negative byte',
    (_, first) => {
      first.labeling_proofs[0].parents[36][31] = -1;
    },
    malformed(`${FIRST}/labeling_proofs/0/parents/36/31`, 'byte is out of range', byteRange, '-1'),
  ),
  changed(
    'byte with a fraction',
    (document) => {
      document.ticket[0] = 0.5;
    },
    malformed('/ticket/0', 'byte is out of range', byteRange, '0.5'),
  ),
  changed(
    'position among siblings out of range',
    (_, first) => {
      single(first.comm_d_proofs).path.path[2].index = 2;
    },
    malformed(
      `${FIRST}/comm_d_proofs/data/Single/path/path/2/index`,
      'position among siblings is out of range',
      'an integer in 0 … 1',
      '2',
    ),
  ),
  changed(
    'node outside the sector',
    (_, first) => {
      first.encoding_proof.node = 64;
    },
    malformed(`${FIRST}/encoding_proof/node`, 'outside the sector', 'an integer in 0 … 63', '64'),
  ),
  ...['comm_d', 'comm_r', 'replica_id'].map((field) =>
    changed(
      `non-canonical ${field}`,
      (document) => {
        document[field].fill(255);
      },
      malformed(
        `/${field}`,
        'field element is not canonical',
        'a little-endian value below the order of the scalar field',
        'a value not below it',
      ),
    ),
  ),
  changed(
    'non-canonical label',
    (_, first) => {
      first.replica_column_proofs.drg_parents[3].column.rows[1][31] = 0x74;
    },
    malformed(
      `${COLUMNS}/drg_parents/3/column/rows/1`,
      'field element is not canonical',
      'a little-endian value below the order of the scalar field',
      'a value not below it',
    ),
  ),
  ...['comm_d', 'comm_r', 'seed'].map((field) =>
    changed(
      `zero ${field}`,
      (document) => {
        document[field].fill(0);
      },
      malformed(`/${field}`, 'all zero', notZero, 'zero'),
    ),
  ),
];
