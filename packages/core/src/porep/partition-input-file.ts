import { concatBytes, utf8ToBytes } from '@noble/hashes/utils.js';
import { bytesEqual } from '../bytes.ts';
import { CuzkError } from '../errors.ts';
import { challengeRecordBytes, decodeChallenge, encodeChallenge } from './challenge-record.ts';
import { type Hashes, nobleHashes } from './hashes.ts';
import type { ChallengeInput, MerklePath, PartitionInput } from './partition-input.ts';
import { findSectorShape, publicInputCount, type SectorShape, sectorShape } from './sector.ts';

/**
 * The partition input as it travels from ingest to synthesis: format CZPI, version 1. All integers
 * little-endian.
 *
 *   0  "CZPI"   4  u32 version   8  u64 sector bytes   16  u32 partition   20  u32 challenges
 *  24  u32 public inputs   28  u32 zero   32  replica_id, comm_d, comm_r, comm_r_last, comm_c
 * 192  public inputs, 32 bytes each; then the challenge records; then the SHA-256 of everything before
 */
const MAGIC = utf8ToBytes('CZPI');
const VERSION = 1;
const HEADER_BYTES = 192;
const CHECKSUM_BYTES = 32;
const VALUE_BYTES = 32;

type Sha256 = Pick<Hashes, 'sha256'>;

/** Length of a CZPI file of this shape, in bytes: 18,140 at 2 KiB, 765,932 at 32 GiB. */
export const partitionInputFileBytes = (shape: SectorShape): number =>
  HEADER_BYTES +
  VALUE_BYTES * publicInputCount(shape) +
  shape.challengesPerPartition * challengeRecordBytes(shape) +
  CHECKSUM_BYTES;

/** Writes a partition input. Throws RangeError where its counts are not those of its sector size. */
export function encodePartitionInput(
  input: PartitionInput,
  hashes: Sha256 = nobleHashes,
): Uint8Array {
  const shape = sectorShape(input.sectorBytes);
  const { challenges, publicInputs } = input;
  if (
    challenges.length !== shape.challengesPerPartition ||
    publicInputs.length !== publicInputCount(shape)
  ) {
    throw new RangeError('partition input: the counts are not those of the sector size');
  }
  const header = new Uint8Array(32);
  const view = new DataView(header.buffer);
  header.set(MAGIC);
  view.setUint32(4, VERSION, true);
  view.setBigUint64(8, BigInt(input.sectorBytes), true);
  view.setUint32(16, input.partition, true);
  view.setUint32(20, challenges.length, true);
  view.setUint32(24, publicInputs.length, true);
  const values = [input.replicaId, input.commD, input.commR, input.commRLast, input.commC];
  const body = concatBytes(
    header,
    ...[...values, ...publicInputs].map(checkedValue),
    ...challenges.map((challenge) => encodeChallenge(challenge, shape)),
  );
  return concatBytes(body, hashes.sha256(body));
}

function checkedValue(bytes: Uint8Array): Uint8Array {
  if (bytes.length !== VALUE_BYTES)
    throw new RangeError('partition input: expected 32-byte values');
  return bytes;
}

/**
 * Reads a partition input; its values are views into `bytes`. Throws CuzkError PARTITION_INPUT_MALFORMED for
 * anything that encodePartitionInput does not write, ARTIFACT_DIGEST_MISMATCH where only the checksum differs.
 */
export function decodePartitionInput(
  bytes: Uint8Array,
  hashes: Sha256 = nobleHashes,
): PartitionInput {
  const { shape, partition } = decodeHeader(bytes);
  const end = bytes.length - CHECKSUM_BYTES;
  if (!bytesEqual(hashes.sha256(bytes.subarray(0, end)), bytes.subarray(end))) {
    throw new CuzkError('ARTIFACT_DIGEST_MISMATCH', 'the partition input is damaged', {
      expected: 'the SHA-256 that ends the file',
      found: 'another digest of its content',
      action: 'make the partition input again from the C1',
    });
  }
  const value = (offset: number) => bytes.subarray(offset, offset + VALUE_BYTES);
  const [replicaId, commD, commR, commRLast, commC] = [32, 64, 96, 128, 160].map(value);
  const publicInputs = Array.from({ length: publicInputCount(shape) }, (_, i) =>
    value(HEADER_BYTES + VALUE_BYTES * i),
  );
  const first = HEADER_BYTES + VALUE_BYTES * publicInputs.length;
  const size = challengeRecordBytes(shape);
  const challenges = Array.from({ length: shape.challengesPerPartition }, (_, i) =>
    decodeChallenge(bytes.subarray(first + i * size, first + (i + 1) * size), shape),
  );
  for (const challenge of challenges) checkRanges(challenge, shape);
  const { sectorBytes } = shape;
  return {
    sectorBytes,
    partition,
    replicaId,
    commD,
    commR,
    commRLast,
    commC,
    challenges,
    publicInputs,
  };
}

function decodeHeader(bytes: Uint8Array): { shape: SectorShape; partition: number } {
  const refuseUnless = (right: boolean, what: string, expected: unknown, found: unknown): void => {
    if (right) return;
    throw new CuzkError('PARTITION_INPUT_MALFORMED', `the partition input has a wrong ${what}`, {
      expected: String(expected),
      found: String(found),
      action: 'make the partition input again from the C1',
    });
  };
  refuseUnless(bytes.length >= HEADER_BYTES, 'length', `${HEADER_BYTES} or more`, bytes.length);
  refuseUnless(bytesEqual(bytes.subarray(0, 4), MAGIC), 'magic', 'CZPI', 'other bytes');
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const version = view.getUint32(4, true);
  refuseUnless(version === VERSION, 'version', VERSION, version);
  const sectorBytes = Number(view.getBigUint64(8, true));
  const shape = findSectorShape(sectorBytes);
  refuseUnless(shape !== undefined, 'sector size', 'a known sector size', sectorBytes);
  const known = sectorShape(sectorBytes);
  const counts = [view.getUint32(20, true), view.getUint32(24, true), view.getUint32(28, true)];
  const expected = [known.challengesPerPartition, publicInputCount(known), 0];
  refuseUnless(counts.join() === expected.join(), 'count', expected, counts);
  const length = partitionInputFileBytes(known);
  refuseUnless(bytes.length === length, 'length', length, bytes.length);
  return { shape: known, partition: view.getUint32(16, true) };
}

function checkRanges(challenge: ChallengeInput, shape: SectorShape): void {
  const { base, sub, top } = shape.tree;
  const inRange = (path: MerklePath, arities: readonly number[]): boolean =>
    [path.base, path.sub, path.top].every((elements, i) =>
      elements.every(({ index }) => index < arities[i]),
    );
  const trees = [...challenge.drgParents, ...challenge.expParents].map((column) => column.path);
  trees.push(challenge.commRLastPath, challenge.columnPath);
  const right =
    challenge.node < shape.nodes &&
    inRange(challenge.commDPath, [2, 0, 0]) &&
    trees.every((path) => inRange(path, [base, sub, top]));
  if (right) return;
  throw new CuzkError('PARTITION_INPUT_MALFORMED', 'a position in the partition input is too big', {
    expected: 'positions inside the sector and its trees',
    found: 'a larger one',
  });
}
