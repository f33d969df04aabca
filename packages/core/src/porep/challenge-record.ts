import type { ChallengeInput, ColumnInput, MerklePath, PathElement } from './partition-input.ts';
import { DRG_PARENTS, EXP_PARENTS, type SectorShape } from './sector.ts';

/**
 * One challenge as fixed-length bytes: node (u64 LE), data leaf, D path, 6 + 8 parent columns (rows, then C
 * path), R path, C path of the challenged node. A path element is its index (1 byte), then its siblings. No
 * lengths are stored: the sector shape gives them all.
 */
interface Cursor {
  readonly bytes: Uint8Array;
  position: number;
}

type Sections = readonly { readonly arity: number; readonly length: number }[];

const VALUE_BYTES = 32;
const COLUMNS = DRG_PARENTS + EXP_PARENTS;

const treeDSections = (shape: SectorShape): Sections => [
  { arity: 2, length: shape.commDDepth },
  { arity: 0, length: 0 },
  { arity: 0, length: 0 },
];

const treeSections = ({ tree, basePathLength }: SectorShape): Sections => [
  { arity: tree.base, length: basePathLength },
  { arity: tree.sub, length: Number(tree.sub > 0) },
  { arity: tree.top, length: Number(tree.top > 0) },
];

const pathBytes = (sections: Sections): number =>
  sections.reduce((sum, { arity, length }) => sum + length * (1 + VALUE_BYTES * (arity - 1)), 0);

/** Length of every record of this shape, in bytes; 41,958 at 32 GiB. */
export function challengeRecordBytes(shape: SectorShape): number {
  const tree = pathBytes(treeSections(shape));
  const column = VALUE_BYTES * shape.layers + tree;
  return 8 + VALUE_BYTES + pathBytes(treeDSections(shape)) + COLUMNS * column + 2 * tree;
}

/** Packs a challenge. Throws RangeError where its counts are not those of the shape. */
export function encodeChallenge(challenge: ChallengeInput, shape: SectorShape): Uint8Array {
  const cursor: Cursor = { bytes: new Uint8Array(challengeRecordBytes(shape)), position: 8 };
  new DataView(cursor.bytes.buffer).setBigUint64(0, BigInt(challenge.node), true);
  const tree = treeSections(shape);
  putValues(cursor, [challenge.dataLeaf], 1);
  putPath(cursor, challenge.commDPath, treeDSections(shape));
  const columns = [...challenge.drgParents, ...challenge.expParents];
  if (columns.length !== COLUMNS) throw new RangeError('challenge: expected 6 and 8 parents');
  for (const column of columns) {
    putValues(cursor, column.rows, shape.layers);
    putPath(cursor, column.path, tree);
  }
  putPath(cursor, challenge.commRLastPath, tree);
  putPath(cursor, challenge.columnPath, tree);
  return cursor.bytes;
}

/** Unpacks `challengeRecordBytes(shape)` bytes; the values are views into them. Indices are not checked. */
export function decodeChallenge(bytes: Uint8Array, shape: SectorShape): ChallengeInput {
  const cursor: Cursor = { bytes, position: 8 };
  const tree = treeSections(shape);
  const column = (): ColumnInput => ({
    rows: takeValues(cursor, shape.layers),
    path: takePath(cursor, tree),
  });
  return {
    node: Number(new DataView(bytes.buffer, bytes.byteOffset).getBigUint64(0, true)),
    dataLeaf: takeValues(cursor, 1)[0],
    commDPath: takePath(cursor, treeDSections(shape)),
    drgParents: Array.from({ length: DRG_PARENTS }, column),
    expParents: Array.from({ length: EXP_PARENTS }, column),
    commRLastPath: takePath(cursor, tree),
    columnPath: takePath(cursor, tree),
  };
}

function putValues(cursor: Cursor, values: readonly Uint8Array[], count: number): void {
  if (values.length !== count) {
    throw new RangeError(`challenge: expected ${count} values, got ${values.length}`);
  }
  for (const value of values) {
    if (value.length !== VALUE_BYTES) throw new RangeError('challenge: expected 32-byte values');
    cursor.bytes.set(value, cursor.position);
    cursor.position += VALUE_BYTES;
  }
}

function takeValues(cursor: Cursor, count: number): Uint8Array[] {
  return Array.from({ length: count }, () => {
    const start = cursor.position;
    cursor.position += VALUE_BYTES;
    return cursor.bytes.subarray(start, cursor.position);
  });
}

function putPath(cursor: Cursor, path: MerklePath, sections: Sections): void {
  [path.base, path.sub, path.top].forEach((elements, i) => {
    const { arity, length } = sections[i];
    if (elements.length !== length) {
      throw new RangeError(`challenge: expected ${length} path elements, got ${elements.length}`);
    }
    for (const { index, siblings } of elements) {
      cursor.bytes[cursor.position++] = index;
      putValues(cursor, siblings, arity - 1);
    }
  });
}

function takePath(cursor: Cursor, sections: Sections): MerklePath {
  const [base, sub, top] = sections.map(({ arity, length }) =>
    Array.from({ length }, (): PathElement => {
      const index = cursor.bytes[cursor.position++];
      return { index, siblings: takeValues(cursor, arity - 1) };
    }),
  );
  return { base, sub, top };
}
