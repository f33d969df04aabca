import { blake2b } from '@noble/hashes/blake2.js';
import { concatBytes, utf8ToBytes } from '@noble/hashes/utils.js';
import { bigintFromLe, bigintToLe } from '../bytes.ts';
import { chacha20Stream } from './chacha.ts';
import type { Hashes } from './hashes.ts';
import type { PorepVariant } from './registered-proof.ts';

/** What challenges are drawn from. Interactive proofs ignore commR, non-interactive ones ignore seed. */
export interface ChallengeSource {
  readonly variant: PorepVariant;
  /** Nodes of the sector. */
  readonly nodes: number;
  readonly replicaId: Uint8Array;
  readonly commR: Uint8Array;
  readonly seed: Uint8Array;
}

/** The challenge with number j over all partitions: partition · challengesPerPartition + i. */
export type ChallengeAt = (j: number) => number;

const NON_INTERACTIVE_TAG = utf8ToBytes('filecoin.io|PoRep|1|NonInteractive|1');
const GENERATION_TAG = utf8ToBytes('filecoin.io|PoRep|1|Synthetic|1|Generation');
const SELECTION_TAG = utf8ToBytes('filecoin.io|PoRep|1|Synthetic|1|Selection');
const SYNTHETIC_NONCE = utf8ToBytes('synth-porep\0');
const SYNTHETIC_SET_LIMIT = 2 ** 18;

/** 32 bytes as a little-endian integer, reduced to 1 … nodes − 1: node 0 is never challenged. */
const reduce = (bytes: Uint8Array, nodes: number): number =>
  Number(bigintFromLe(bytes) % BigInt(nodes - 1)) + 1;

const u32Le = (value: number): Uint8Array => bigintToLe(BigInt(value), 4);

/** Challenge derivation of a seal (spec §7.6). Never throws for 32-byte arguments and nodes ≥ 2. */
export function challengeDerivation(source: ChallengeSource, hashes: Hashes): ChallengeAt {
  const { variant, nodes, replicaId, commR, seed } = source;
  if (variant === 'Synthetic') {
    const set = syntheticSet(source, Math.min(nodes, SYNTHETIC_SET_LIMIT));
    return (j) => set.challenge(set.selected(j));
  }
  const prefix =
    variant === 'NonInteractive'
      ? concatBytes(NON_INTERACTIVE_TAG, replicaId, commR)
      : concatBytes(replicaId, seed);
  return (j) => reduce(hashes.sha256(concatBytes(prefix, u32Le(j))), nodes);
}

/** The synthetic challenge set of `size` challenges, and which of them the seed selects (spec §7.6). */
export function syntheticSet(
  { nodes, replicaId, commR, seed }: Omit<ChallengeSource, 'variant'>,
  size: number,
): { challenge: (t: number) => number; selected: ChallengeAt } {
  const stream = (tag: Uint8Array, other: Uint8Array) =>
    chacha20Stream(
      blake2b(concatBytes(replicaId, other), { key: tag, dkLen: 32 }),
      SYNTHETIC_NONCE,
    );
  const generation = stream(GENERATION_TAG, commR);
  const selection = stream(SELECTION_TAG, seed);
  return {
    challenge: (t) => reduce(generation(32 * t, 32), nodes),
    selected: (j) => Number(bigintFromLe(selection(4 * j, 4)) % BigInt(size)),
  };
}
