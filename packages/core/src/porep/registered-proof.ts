import { bigintToLe } from '../bytes.ts';
import { CuzkError } from '../errors.ts';
import { parseSectorSize, type SectorShape, sectorShape } from './sector.ts';

export type PorepVariant = 'V1' | 'V1_1' | 'Synthetic' | 'NonInteractive';
export type PorepApiVersion = '1.0.0' | '1.1.0' | '1.2.0';

/** One of the twenty registered seal proofs (spec §1.2, §1.3). */
export interface RegisteredProof {
  /** Name as in C1 and in Go, e.g. `StackedDrg32GiBV1_1`. */
  readonly name: string;
  /** Proof type id, 0 … 19. */
  readonly id: number;
  readonly sectorBytes: number;
  readonly variant: PorepVariant;
  /** Picks the graph rules (spec §1.3); differs from what the name of synthetic proofs suggests. */
  readonly apiVersion: PorepApiVersion;
  /** 32 bytes that seed the graph and the replica id. */
  readonly porepId: Uint8Array;
  readonly partitions: number;
  readonly minimumChallenges: number;
  /** Key inside `vanilla_proofs`: always the plain V1 name of the size (spec §2.2). */
  readonly sizeKey: string;
}

const SIZES = ['2KiB', '8MiB', '512MiB', '32GiB', '64GiB'];
const VARIANTS: readonly [PorepVariant, string, PorepApiVersion][] = [
  ['V1', 'V1', '1.0.0'],
  ['V1_1', 'V1_1', '1.1.0'],
  ['Synthetic', 'V1_1_Feat_SyntheticPoRep', '1.2.0'],
  ['NonInteractive', 'V1_2_Feat_NonInteractivePoRep', '1.2.0'],
];

/** porep_id of a registered proof: id and nonce 0 as u64 LE, then 16 zero bytes (spec §1.2). */
export function porepIdOf(proofId: number): Uint8Array {
  const bytes = new Uint8Array(32);
  bytes.set(bigintToLe(BigInt(proofId), 8));
  return bytes;
}

/** Partitions of a seal of this size and variant: 1 or 10, but 13 or 126 when non-interactive (spec §1.3). */
export function partitionCount(shape: SectorShape, variant: PorepVariant): number {
  if (variant !== 'NonInteractive') return shape.partitions;
  return shape.partitions === 1 ? 13 : 126;
}

/** Fewest challenges over all partitions: 2 or 176, but 26 or 2,253 when non-interactive (spec §1.3). */
function minimumChallengeCount(shape: SectorShape, variant: PorepVariant): number {
  if (variant !== 'NonInteractive') return shape.minimumChallenges;
  return shape.partitions === 1 ? 26 : 2253;
}

export const REGISTERED_PROOFS: readonly RegisteredProof[] = VARIANTS.flatMap(
  ([variant, suffix, apiVersion], row) =>
    SIZES.map((size, column) => {
      const id = 5 * row + column;
      const shape = sectorShape(parseSectorSize(size));
      return {
        name: `StackedDrg${size}${suffix}`,
        id,
        sectorBytes: shape.sectorBytes,
        variant,
        apiVersion,
        porepId: porepIdOf(id),
        partitions: partitionCount(shape, variant),
        minimumChallenges: minimumChallengeCount(shape, variant),
        sizeKey: `StackedDrg${size}V1`,
      };
    }),
);

const BY_NAME = new Map(REGISTERED_PROOFS.map((proof) => [proof.name, proof]));
const BY_SIZE_KEY = new Map(REGISTERED_PROOFS.map((proof) => [proof.sizeKey, proof.sectorBytes]));

/** The proof of this name. Throws CuzkError C1_UNSUPPORTED, pointing at `pointer`, where there is none. */
export function registeredProof(name: string, pointer = '/registered_proof'): RegisteredProof {
  const found = BY_NAME.get(name);
  if (found === undefined) {
    throw new CuzkError('C1_UNSUPPORTED', 'the proof type is not known', {
      expected: 'a registered PoRep proof such as StackedDrg32GiBV1_1',
      found: name.slice(0, 64),
      pointer,
    });
  }
  return found;
}

/** Sector size in bytes that a key inside `vanilla_proofs` stands for, or undefined. */
export const sectorBytesOfSizeKey = (key: string): number | undefined => BY_SIZE_KEY.get(key);
