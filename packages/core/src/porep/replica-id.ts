import { concatBytes } from '@noble/hashes/utils.js';
import { bigintToBe } from '../bytes.ts';
import { CuzkError } from '../errors.ts';
import type { Hashes } from './hashes.ts';

/** Actor ids are varints of at most nine bytes, as Filecoin's address library has them. */
const ACTOR_ID_LIMIT = 2n ** 63n;

/**
 * Actor id of a miner's ID address, `f01000` or `t01000`. Throws CuzkError REQUEST_INVALID, pointing at
 * `pointer`, for anything else: other address kinds cannot be turned into a prover id offline.
 */
export function parseMinerAddress(text: string, pointer = '/miner'): bigint {
  const digits = /^[ft]0(0|[1-9][0-9]{0,18})$/.exec(text)?.[1];
  const actorId = digits === undefined ? ACTOR_ID_LIMIT : BigInt(digits);
  if (actorId >= ACTOR_ID_LIMIT) {
    throw new CuzkError('REQUEST_INVALID', 'the miner address is not an ID address', {
      expected: 'f0 or t0 and the actor id in decimal, below 2^63, e.g. f01000',
      found: text.slice(0, 64),
      pointer,
      action: 'use the ID address of the miner actor',
    });
  }
  return actorId;
}

/** Prover id: the unsigned LEB128 varint of the actor id, zero padded to 32 bytes (spec §2.5). */
export function proverIdOfActor(actorId: bigint): Uint8Array {
  if (actorId < 0n || actorId >= ACTOR_ID_LIMIT) {
    throw new RangeError('actorId: expected 0 ≤ actorId < 2^63');
  }
  const bytes = new Uint8Array(32);
  let rest = actorId;
  let length = 0;
  for (; rest >= 0x80n; rest >>= 7n) bytes[length++] = Number(rest & 0x7fn) | 0x80;
  bytes[length] = Number(rest);
  return bytes;
}

export interface ReplicaIdParts {
  readonly proverId: Uint8Array;
  /** u64. */
  readonly sectorId: bigint;
  readonly ticket: Uint8Array;
  readonly commD: Uint8Array;
  readonly porepId: Uint8Array;
}

/**
 * replica_id (spec §7.8): sha256 over the parts, the sector id big-endian, top two bits cleared; 32 bytes that
 * are a canonical little-endian Fr. Throws RangeError if sectorId does not fit 64 bits.
 */
export function replicaIdOf(parts: ReplicaIdParts, hashes: Hashes): Uint8Array {
  const sector = bigintToBe(parts.sectorId, 8);
  return clearTopBits(
    hashes.sha256(concatBytes(parts.proverId, sector, parts.ticket, parts.commD, parts.porepId)),
  );
}

/** A SHA-256 digest as a field element: a copy with the two highest bits of the last byte cleared (spec §6.9). */
export function clearTopBits(digest: Uint8Array): Uint8Array {
  const bytes = digest.slice();
  bytes[31] &= 0x3f;
  return bytes;
}
