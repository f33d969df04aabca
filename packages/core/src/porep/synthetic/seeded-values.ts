import { concatBytes, utf8ToBytes } from '@noble/hashes/utils.js';
import { bigintToLe } from '../../bytes.ts';
import type { Hashes } from '../hashes.ts';
import { clearTopBits } from '../replica-id.ts';

/** What a value is for. Values of different purposes or places are independent. */
const PURPOSES = { label: 0, treeC: 1, treeR: 2, ticket: 3, seed: 4, firstNode: 5 } as const;
type ValuePurpose = keyof typeof PURPOSES;

/** The value of a purpose at a place: 32 bytes below 2^254, so a canonical Fr. `level` and `index` are u32. */
export type SeededValues = (purpose: ValuePurpose, level: number, index: number) => Uint8Array;

const TAG = utf8ToBytes('cuzk synthetic sector 1');

/**
 * Values that follow from a seed and nothing else: SHA-256 of a key, the purpose and the place, top two bits
 * cleared. `seed` is a u64; RangeError where it is not.
 */
export function seededValues(seed: bigint, hashes: Hashes): SeededValues {
  const key = hashes.sha256(concatBytes(TAG, bigintToLe(seed, 8)));
  const message = new Uint8Array(key.length + 12);
  message.set(key);
  const view = new DataView(message.buffer, key.length);
  return (purpose, level, index) => {
    view.setUint32(0, PURPOSES[purpose]);
    view.setUint32(4, level);
    view.setUint32(8, index);
    return clearTopBits(hashes.sha256(message));
  };
}
