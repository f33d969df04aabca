import { concatBytes } from '@noble/hashes/utils.js';
import { bigintFromLe, bigintToBe } from '../bytes.ts';
import { frAdd, frToBytes } from '../field/fr.ts';
import type { Hashes } from './hashes.ts';
import { clearTopBits } from './replica-id.ts';

/** What sealing computes, outside the circuit (spec §7.9). All values are 32-byte little-endian Fr. */

/** Node of tree D above `left` and `right`. */
export const treeDNode = (left: Uint8Array, right: Uint8Array, hashes: Hashes): Uint8Array =>
  clearTopBits(hashes.sha256(concatBytes(left, right)));

/** Label of `node` in `layer` (from 1); `parents` are the 37 parent slots, or none for node 0. */
export function labelOf(
  replicaId: Uint8Array,
  layer: number,
  node: number,
  parents: readonly Uint8Array[],
  hashes: Hashes,
): Uint8Array {
  const header = concatBytes(
    replicaId,
    bigintToBe(BigInt(layer), 4),
    bigintToBe(BigInt(node), 8),
    new Uint8Array(20),
  );
  return clearTopBits(hashes.sha256(concatBytes(header, ...parents)));
}

/** Leaf of tree R: data plus key, the label of the last layer. */
export const encodeNode = (data: Uint8Array, key: Uint8Array): Uint8Array =>
  frToBytes(frAdd(bigintFromLe(data), bigintFromLe(key)));
