import { concatBytes, utf8ToBytes } from '@noble/hashes/utils.js';
import { bigintToBe, bigintToLe } from '../bytes.ts';
import { chacha8Words } from './chacha.ts';
import type { Hashes } from './hashes.ts';
import type { PorepApiVersion } from './registered-proof.ts';
import { DRG_PARENTS, EXP_PARENTS } from './sector.ts';

export interface GraphParents {
  /** Six, in graph order. */
  readonly drg: readonly number[];
  /** Eight, in graph order; they live in the previous layer. */
  readonly exp: readonly number[];
}

/** The stacked DRG of a seal: parents of any node on demand (spec §7.7). */
export type StackedGraph = (node: number) => GraphParents;

const DRG_TAG = utf8ToBytes('Filecoin_DRSample');
const FEISTEL_TAG = utf8ToBytes('Filecoin_Feistel');
const SAMPLED_PARENTS = DRG_PARENTS - 1;

/**
 * Builds the graph of a sector. `nodes` is a power of two up to 2^31; `porepId` 32 bytes. The returned
 * function throws RangeError for a node outside 0 … nodes − 1.
 */
export function stackedGraph(
  nodes: number,
  porepId: Uint8Array,
  apiVersion: PorepApiVersion,
  hashes: Hashes,
): StackedGraph {
  const drgSeed = hashes.sha256(concatBytes(DRG_TAG, porepId)).subarray(0, 28);
  const feistelKeys = hashes.sha256(concatBytes(FEISTEL_TAG, porepId));
  const permute = feistelPermutation(EXP_PARENTS * nodes, feistelKeys, hashes);
  const oldRules = apiVersion === '1.0.0';
  return (node) => {
    if (!Number.isInteger(node) || node < 0 || node >= nodes) {
      throw new RangeError(`node: expected an integer below ${nodes}, got ${node}`);
    }
    const exp = Array.from({ length: EXP_PARENTS }, (_, i) => {
      const x = permute(EXP_PARENTS * node + i);
      return Math.floor((oldRules ? x % 2 ** 32 : x) / EXP_PARENTS);
    });
    return { drg: drgParents(node, drgSeed, oldRules), exp };
  };
}

function drgParents(node: number, seed: Uint8Array, oldRules: boolean): number[] {
  if (node < 2) return new Array(DRG_PARENTS).fill(0);
  const words = chacha8Words(concatBytes(seed, bigintToLe(BigInt(node), 4)));
  const u64 = (): bigint => BigInt(words()) | (BigInt(words()) << 32n);
  // 5 · node is never a power of two, so its bit length is ceil(log2).
  const metaNodes = SAMPLED_PARENTS * node;
  const buckets = BigInt(metaNodes.toString(2).length);
  const sampled = Array.from({ length: SAMPLED_PARENTS }, () => {
    const bucket = Number((u64() % buckets) + 1n);
    const high = Math.min(metaNodes, 2 ** bucket);
    const low = Math.max(2, Math.floor(high / 2));
    const distance = low + Number(u64() % BigInt(high - low + 1));
    const parent = Math.floor((metaNodes - distance) / SAMPLED_PARENTS);
    return parent === node ? node - 1 : parent;
  });
  return oldRules ? [...sampled, node - 1] : [node - 1, ...sampled];
}

/**
 * Three Feistel rounds over the smallest power-of-four domain that holds `size` values, walked until the
 * result is below `size`. At most 36 bits, so plain numbers are exact.
 */
function feistelPermutation(size: number, keys: Uint8Array, hashes: Hashes): (x: number) => number {
  const halfBits = Math.max(1, Math.ceil(Math.log2(size) / 2));
  const half = 2 ** halfBits;
  const message = new Uint8Array(16);
  // Three of the four keys are used, each stored little-endian and hashed big-endian.
  const roundKeys = [0, 1, 2].map((i) => keys.slice(8 * i, 8 * i + 8).reverse());
  const round = (right: number, key: Uint8Array): number => {
    message.set(bigintToBe(BigInt(right), 8));
    message.set(key, 8);
    const digest = hashes.blake2b512(message);
    // The low `halfBits` ≤ 18 bits of the first eight bytes read big-endian.
    return ((digest[5] << 16) | (digest[6] << 8) | digest[7]) & (half - 1);
  };
  const once = (x: number): number => {
    let left = Math.floor(x / half);
    let right = x % half;
    for (const key of roundKeys) [left, right] = [right, left ^ round(right, key)];
    return left * half + right;
  };
  return (x) => {
    let y = once(x);
    while (y >= size) y = once(y);
    return y;
  };
}
