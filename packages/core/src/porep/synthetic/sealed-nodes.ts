import { bigintFromLe } from '../../bytes.ts';
import { CuzkError } from '../../errors.ts';
import type { ChallengeAt } from '../challenges.ts';
import type { PorepVariant } from '../registered-proof.ts';
import type { SectorShape } from '../sector.ts';
import { madeUpSeed } from './find-seed.ts';
import type { SeededValues } from './seeded-values.ts';

/** Which nodes of a synthetic sector get real labels; all others get made-up ones. */
export interface SealedNodes {
  /** In ascending order, each once. */
  readonly nodes: readonly number[];
  /** Whether they are the challenged nodes. If not, challenges are drawn later and may ask for any parent's column. */
  readonly challenged: boolean;
}

export interface SealedNodesOptions {
  readonly shape: SectorShape;
  readonly variant: PorepVariant;
  /** Challenges of the seal, all partitions together. */
  readonly challenges: number;
  readonly challengesFor: (commR: Uint8Array, seed: Uint8Array) => ChallengeAt;
  readonly values: SeededValues;
}

const FEWEST_IN_RUN = 2 ** 11;
const SHARE_OF_RUN = 2 ** -9;
const MOST_IN_WHOLE_SECTOR = 2 ** 19;

/**
 * Chooses the nodes to seal.
 *
 * V1 and V1_1: challenges follow from replica_id and seed, and comm_d is known, so the challenged nodes are
 * known before anything is sealed (from the first seed). Only they need real labels: a label follows from
 * those of its parents, and a parent's labels are recomputed nowhere unless it is challenged itself. Any size.
 *
 * Synthetic and NonInteractive: challenges follow from comm_r, hence from every node of trees C and R. Nodes
 * must be sealed before it is known which are asked for, and the seal passes only if all its challenges fall
 * among the sealed ones. With a share f of the nodes sealed and k challenges that is one try in f^-k, whatever
 * the rest is: the soundness of PoRep.
 * - Synthetic with k = 2 (sizes up to 1 GiB): a run of nodes with f ≥ 2^-9 is sealed, comm_r is fixed, and then
 *   seeds are tried, 2^18 of them on average.
 * - NonInteractive with k = 26: no seed can be tried, so every node is sealed, which plain code does for up to
 *   2^19 of them (16 MiB) in minutes.
 * - Synthetic with k = 180 (32 and 64 GiB): even 2^30 tries need f = 2^(-30/180) = 0.89, nine tenths of a real
 *   seal; NonInteractive with k = 2,268 needs 0.99. These cannot be made up: CuzkError REQUEST_INVALID.
 */
export function sealedNodes({
  shape,
  variant,
  challenges,
  challengesFor,
  values,
}: SealedNodesOptions): SealedNodes {
  if (variant === 'V1' || variant === 'V1_1') {
    const challengeAt = challengesFor(new Uint8Array(32), madeUpSeed(values, 0));
    const challenged = new Set(Array.from({ length: challenges }, (_, j) => challengeAt(j)));
    return { nodes: [...challenged].sort((a, b) => a - b), challenged: true };
  }
  requirePossible(shape, variant);
  const count =
    variant === 'NonInteractive'
      ? shape.nodes
      : Math.min(shape.nodes, Math.max(FEWEST_IN_RUN, shape.nodes * SHARE_OF_RUN));
  const starts = BigInt(shape.nodes - count + 1);
  const first = Number(bigintFromLe(values('firstNode', 0, 0)) % starts);
  return { nodes: Array.from({ length: count }, (_, i) => first + i), challenged: false };
}

function requirePossible(shape: SectorShape, variant: PorepVariant): void {
  const possible =
    variant === 'Synthetic' ? shape.partitions === 1 : shape.nodes <= MOST_IN_WHOLE_SECTOR;
  if (possible) return;
  throw new CuzkError('REQUEST_INVALID', 'such a sector cannot be made up, only sealed', {
    expected: `variant V1 or V1_1 for ${shape.name}; the circuit is the same`,
    found: `variant ${variant}, whose challenges follow from comm_r`,
  });
}
