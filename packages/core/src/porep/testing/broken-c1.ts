import { fromHex } from '../../bytes.ts';
import type { ErrorCode } from '../../errors.ts';
import { madeUpFr, sealedC1, sealSector, type Tampering } from './seal-sector.ts';
import { readC1Case } from './vectors.ts';

/** The sector that every broken document claims to be; it is the case 2KiB-V1_1-a. */
export const BROKEN_C1_SECTOR = { miner: 'f01000', sectorId: '1' };

/** A C1 that must be refused, and how. */
export interface BrokenC1 {
  readonly name: string;
  readonly make: () => Uint8Array;
  readonly code: ErrorCode;
  readonly pointer: string;
  /** Words of the message. */
  readonly message: string;
  readonly expected: string | RegExp;
  readonly found: string | RegExp;
}

// biome-ignore lint/suspicious/noExplicitAny: a document that is about to be broken has no type
type Document = any;
type Facts = Pick<BrokenC1, 'code' | 'pointer' | 'message' | 'expected' | 'found'>;

const text = (): string => new TextDecoder().decode(readC1Case('2KiB-V1_1-a').c1);
const bytes = (document: string): Uint8Array => new TextEncoder().encode(document);

const KEY = 'StackedDrg2KiBV1';
const PROOFS = `/vanilla_proofs/${KEY}`;
const FIRST = `${PROOFS}/0/0`;
const COLUMNS = `${FIRST}/replica_column_proofs`;

const facts = (
  code: ErrorCode,
  pointer: string,
  message: string,
  expected: string | RegExp,
  found: string | RegExp,
): Facts => ({ code, pointer, message, expected, found });
const malformed = (pointer: string, message: string, expected: string, found: string) =>
  facts('C1_MALFORMED', pointer, message, expected, found);
const inconsistent = (
  pointer: string,
  message: string,
  expected: string | RegExp,
  found: string | RegExp,
) => facts('C1_INCONSISTENT', pointer, message, expected, found);

/** The golden document with its text changed. */
const textual = (name: string, change: (document: string) => string, then: Facts): BrokenC1 => ({
  name,
  make: () => bytes(change(text())),
  ...then,
});

/** The golden document with one value changed; `first` is the first challenge's proof. */
const changed = (
  name: string,
  change: (document: Document, first: Document) => void,
  then: Facts,
): BrokenC1 => ({
  name,
  make: () => {
    const document = JSON.parse(text());
    change(document, document.vanilla_proofs[KEY]?.[0]?.[0]);
    return bytes(JSON.stringify(document));
  },
  ...then,
});

/** A sector of zeros, sealed with the golden case's identity and one wrong step; all that follows is built on it. */
function sealWrongly(tamper: Tampering, ticket?: Uint8Array): Uint8Array {
  const { expected } = readC1Case('2KiB-V1_1-a');
  const sector = sealSector({
    proof: expected.registeredProof,
    proverId: fromHex(expected.proverId),
    sectorId: BigInt(expected.sectorId),
    ticket: ticket ?? fromHex(expected.ticket),
    seed: fromHex(expected.seed),
    tamper,
  });
  return sealedC1(sector);
}

const tampered = (name: string, tamper: Tampering, then: Facts): BrokenC1 => ({
  name,
  make: () => sealWrongly(tamper),
  ...then,
});

const parse = (document: Uint8Array): Document => JSON.parse(new TextDecoder().decode(document));

const flip = (value: number[]): void => {
  value[0] ^= 1;
};
const single = (merkle: Document): Document => merkle.data.Single;
const zeros = new Array<number>(32).fill(0);
const notZero = '32 bytes that are not all zero';
const HEX = /^[0-9a-f]{64}$/;
const byteRange = 'an integer in 0 … 255';
const pathRoot = 'a path whose hashes end in its root';

const NOT_JSON: BrokenC1[] = [
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

const STRUCTURE: BrokenC1[] = [
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

const VALUES: BrokenC1[] = [
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

const COUNTS: BrokenC1[] = [
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

const CONTENT: BrokenC1[] = [
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

const TAMPERED: BrokenC1[] = [
  ...[1, 2].map((wrong) =>
    tampered(
      `label that does not recompute, layer ${wrong}`,
      { label: (right, node, layer) => (layer === wrong ? madeUpFr(`label ${node}`) : right) },
      inconsistent(
        `${FIRST}/labeling_proofs/${wrong - 1}`,
        'label does not recompute',
        `the hash of the parents, which is row ${wrong - 1} of c_x`,
        'another value in that row',
      ),
    ),
  ),
  tampered(
    'replica leaf that is not the encoded data',
    { encoded: (_, node) => madeUpFr(`encoded ${node}`) },
    inconsistent(
      `${FIRST}/comm_r_last_proof`,
      'not the encoded data leaf',
      'data leaf plus last label',
      'another value',
    ),
  ),
  tampered(
    'DRG parent that is not in the graph',
    {
      graph: (right) => (node) => {
        const { drg, exp } = right(node);
        return { drg: drg.with(4, Math.floor(drg[4] / 2)), exp };
      },
    },
    inconsistent(
      `${COLUMNS}/drg_parents/4`,
      'not that of the parent in the graph',
      /^node [0-9]+$/,
      /^node [0-9]+$/,
    ),
  ),
  tampered(
    'expander parents in another order',
    {
      graph: (right) => (node) => {
        const { drg, exp } = right(node);
        return { drg, exp: [...exp.slice(1), exp[0]] };
      },
    },
    inconsistent(
      `${COLUMNS}/exp_parents/0`,
      'not that of the parent in the graph',
      /^node [0-9]+$/,
      /^node [0-9]+$/,
    ),
  ),
  tampered(
    'challenge of own choice',
    { challenge: () => 5 },
    inconsistent(
      `${FIRST}/labeling_proofs/0/node`,
      'not the one that the seed demands',
      /^[0-9]+$/,
      '5',
    ),
  ),
  tampered(
    'comm_d of other data',
    { commD: madeUpFr('comm_d') },
    inconsistent('/comm_d', 'do not lead to comm_d', 'the root of tree D', HEX),
  ),
  {
    name: 'replica tree of another sector in the second challenge',
    make: () => {
      const sector = parse(sealWrongly({ challenge: () => 5 }));
      const other = parse(sealWrongly({ challenge: () => 5 }, madeUpFr('ticket')));
      sector.vanilla_proofs[KEY][0][1].comm_r_last_proof =
        other.vanilla_proofs[KEY][0][1].comm_r_last_proof;
      return bytes(JSON.stringify(sector));
    },
    ...inconsistent(
      `${PROOFS}/0/1/comm_r_last_proof`,
      'roots of tree R differ',
      'the root of the first challenge of the document',
      'another root',
    ),
  },
  changed(
    'column of another sector',
    (_, first) => {
      const other = parse(readC1Case('2KiB-V1_1-b').c1).vanilla_proofs[KEY][0][0];
      first.replica_column_proofs.drg_parents[2] = other.replica_column_proofs.drg_parents[2];
    },
    inconsistent(
      `${COLUMNS}/drg_parents/2/inclusion_proof`,
      'roots of tree C differ',
      'the root of the first challenge of the document',
      'another root',
    ),
  ),
];

/** One document for every kind of bad C1, each wrong in one way only. */
export const BROKEN_C1S: readonly BrokenC1[] = [
  ...NOT_JSON,
  ...STRUCTURE,
  ...VALUES,
  ...COUNTS,
  ...CONTENT,
  ...TAMPERED,
];
