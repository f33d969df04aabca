/** Arities of the Poseidon trees C and R, base – sub – top; 0 means that the level does not exist. */
export interface TreeShape {
  readonly base: number;
  readonly sub: number;
  readonly top: number;
}

/** Everything about a PoRep circuit that depends on the sector size only (spec §1.1). */
export interface SectorShape {
  /** As written in proof names, e.g. `32GiB`. */
  readonly name: string;
  readonly sectorBytes: number;
  /** 32-byte nodes in the sector. */
  readonly nodes: number;
  /** Labeling layers, also the height of a column. */
  readonly layers: number;
  readonly challengesPerPartition: number;
  /** Partitions of every variant but the non-interactive one (see `partitionCount`). */
  readonly partitions: number;
  /** Fewest challenges that make an interactive or synthetic seal acceptable. */
  readonly minimumChallenges: number;
  readonly tree: TreeShape;
  /** Elements in the base part of a path of tree C or R: log8(nodes / sub / top). */
  readonly basePathLength: number;
  /** Depth of the binary tree D: log2(nodes). */
  readonly commDDepth: number;
}

export const NODE_BYTES = 32;
export const DRG_PARENTS = 6;
export const EXP_PARENTS = 8;
/** Parent slots hashed into one label (spec §1.1). */
export const LABEL_PARENTS = 37;

const KIB = 2 ** 10;
const MIB = 2 ** 20;
const GIB = 2 ** 30;

function shape(name: string, sectorBytes: number, sub: number, top: number): SectorShape {
  const nodes = sectorBytes / NODE_BYTES;
  const big = sectorBytes >= 32 * GIB;
  const baseLeaves = nodes / Math.max(sub, 1) / Math.max(top, 1);
  return {
    name,
    sectorBytes,
    nodes,
    layers: big ? 11 : 2,
    challengesPerPartition: big ? 18 : 2,
    partitions: big ? 10 : 1,
    minimumChallenges: big ? 176 : 2,
    tree: { base: 8, sub, top },
    basePathLength: Math.log2(baseLeaves) / 3,
    commDDepth: Math.log2(nodes),
  };
}

/** All ten sizes; 2 KiB, 8 MiB, 512 MiB, 32 GiB and 64 GiB have registered proofs and published parameters. */
export const SECTOR_SHAPES: readonly SectorShape[] = [
  shape('2KiB', 2 * KIB, 0, 0),
  shape('4KiB', 4 * KIB, 2, 0),
  shape('16KiB', 16 * KIB, 8, 0),
  shape('32KiB', 32 * KIB, 8, 2),
  shape('8MiB', 8 * MIB, 0, 0),
  shape('16MiB', 16 * MIB, 2, 0),
  shape('512MiB', 512 * MIB, 0, 0),
  shape('1GiB', GIB, 2, 0),
  shape('32GiB', 32 * GIB, 8, 0),
  shape('64GiB', 64 * GIB, 8, 2),
];

const BY_BYTES = new Map(SECTOR_SHAPES.map((entry) => [entry.sectorBytes, entry]));
const BY_NAME = new Map(SECTOR_SHAPES.map((entry) => [entry.name.toLowerCase(), entry]));

/** The shape of a sector size in bytes, or undefined where there is none. */
export const findSectorShape = (sectorBytes: number): SectorShape | undefined =>
  BY_BYTES.get(sectorBytes);

/** As findSectorShape; throws RangeError where there is none. */
export function sectorShape(sectorBytes: number): SectorShape {
  const found = BY_BYTES.get(sectorBytes);
  if (found === undefined) {
    throw new RangeError(`sectorBytes: expected ${sizeNames()}, got ${sectorBytes}`);
  }
  return found;
}

/** The shape of a size as people write it: `2KiB`, `32 GiB`, in any case; undefined where there is none. */
export const findSectorByName = (text: string): SectorShape | undefined =>
  BY_NAME.get(text.replace(/\s+/g, '').toLowerCase());

/** Bytes of a size that findSectorByName knows. Throws RangeError on anything else. */
export function parseSectorSize(text: string): number {
  const found = findSectorByName(text);
  if (found === undefined) {
    throw new RangeError(`sector size: expected ${sizeNames()}, got "${text.slice(0, 32)}"`);
  }
  return found.sectorBytes;
}

/** What is expected where a size does not exist. */
export const sizeNames = (): string =>
  `one of ${SECTOR_SHAPES.map((entry) => entry.name).join(', ')}`;

/** Elements of a whole path in tree C or R, leaf to root. */
export const treePathLength = (shape: SectorShape): number =>
  shape.basePathLength + Number(shape.tree.sub > 0) + Number(shape.tree.top > 0);

/** Public inputs of one partition without ONE: 3 + 18 per challenge (spec §7.5). */
export const publicInputCount = (shape: SectorShape): number =>
  3 + 18 * shape.challengesPerPartition;
