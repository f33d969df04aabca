import { challengeCheck, type SealRoots } from './c1-check-challenge.ts';
import {
  checkAgainstStatement,
  checkReplicaId,
  checkRoots,
  type SectorIdentity,
} from './c1-check-statement.ts';
import { type C1Header, challengePointer } from './c1-document.ts';
import { type C1Sink, c1Reader, type ReadChallenge } from './c1-reader.ts';
import { readC1Tail } from './c1-tail.ts';
import { decodeChallenge, encodeChallenge } from './challenge-record.ts';
import { type Hashes, nobleHashes } from './hashes.ts';
import { readJsonChunks } from './json-input.ts';
import { challengeInputOf, partitionInputOf } from './partition-from-proofs.ts';
import type { PartitionInput } from './partition-input.ts';
import { type PublicStatement, publicStatementOf } from './public-inputs.ts';
import type { SectorShape } from './sector.ts';

export type C1Chunks = AsyncIterable<Uint8Array> | Iterable<Uint8Array>;

export interface CheckC1Options extends SectorIdentity {
  /** Called in partition order, with the header, and awaited before more of the document is read. */
  readonly onPartition: (input: PartitionInput, header: C1Header) => void | Promise<void>;
  /** Last bytes of the document (C1_TAIL_BYTES): with them each partition is emitted as soon as it was checked. */
  readonly tail?: Uint8Array;
  readonly hashes?: Hashes;
}

export interface CheckedC1 {
  readonly header: C1Header;
  readonly shape: SectorShape;
  readonly partitions: number;
}

/** A challenge that is consistent in itself, packed until the statement is known. */
interface PackedChallenge {
  readonly record: Uint8Array;
  /** Labels of the challenged node; the circuit recomputes them, so the record leaves them out. */
  readonly rows: readonly Uint8Array[];
}

/**
 * Reads a C1 document from byte chunks and checks everything that can be checked without proving: structure
 * while reading, then spec §7.9. Emits one PartitionInput per partition. The header stands last in the usual
 * field order, so without `tail` partitions are usually emitted after the last byte; until then each challenge is held
 * packed (42 KB at 32 GiB, 8 MB for all ten partitions, 95 MB for 126). Work on what was emitted may begin, but nothing
 * of it may count before this resolves: the rest of the document may still be wrong.
 *
 * Throws CuzkError C1_NOT_JSON, C1_MALFORMED, C1_UNSUPPORTED or C1_INCONSISTENT with pointer, expected and
 * found; and whatever the chunks or onPartition throw.
 */
export function checkC1(chunks: C1Chunks, options: CheckC1Options): Promise<CheckedC1> {
  const { hashes = nobleHashes } = options;
  return readAndCheck(chunks, options, (header) => checkReplicaId(header, options, hashes));
}

/**
 * As checkC1, but takes replica_id as the document has it: for looking at a C1 whose miner and sector nobody
 * named, never for proving it.
 */
export const checkC1OfAnySector = (
  chunks: C1Chunks,
  options: Omit<CheckC1Options, keyof SectorIdentity>,
): Promise<CheckedC1> => readAndCheck(chunks, options, () => {});

async function readAndCheck(
  chunks: C1Chunks,
  options: Omit<CheckC1Options, keyof SectorIdentity>,
  checkHeader: (header: C1Header) => void,
): Promise<CheckedC1> {
  const { hashes = nobleHashes, onPartition, tail } = options;
  const check = challengeCheck(hashes);
  const waiting: PackedChallenge[] = [];
  let read: Pick<ReadChallenge, 'shape' | 'sizeKey'> | undefined;
  let roots: SealRoots | undefined;
  let header: C1Header | undefined;
  let statement: PublicStatement | undefined;
  let emitted = 0;

  const sink: C1Sink = {
    onHeader(complete) {
      checkHeader(complete);
      header = complete;
      statement = publicStatementOf(complete, hashes);
    },
    onChallenge(challenge) {
      const { shape, sizeKey, partition, index, proof } = challenge;
      read = challenge;
      roots = check(proof, challengePointer(sizeKey, partition, index));
      const record = encodeChallenge(challengeInputOf(proof), shape);
      waiting.push({ record, rows: proof.column.rows });
    },
  };
  const reader = c1Reader(sink, tail && (await readC1Tail(tail)));

  /** Emits the partitions that are complete, once the statement is known. */
  const emit = async (): Promise<void> => {
    if (!(header && statement && read && roots)) return;
    const { shape, sizeKey } = read;
    const known = statement;
    const n = shape.challengesPerPartition;
    while (waiting.length >= n) {
      if (emitted === 0) checkRoots(header, roots, hashes);
      const challenges = waiting.splice(0, n).map(({ record, rows }, i) => {
        const challenge = decodeChallenge(record, shape);
        const pointer = challengePointer(sizeKey, emitted, i);
        checkAgainstStatement(challenge, rows, n * emitted + i, known, hashes, pointer);
        return challenge;
      });
      await onPartition(partitionInputOf(known, roots, emitted, challenges), header);
      emitted++;
    }
  };

  const complete = await readJsonChunks(chunks, reader, emit);
  if (read === undefined) throw new TypeError('checkC1: the reader gave no challenge');
  return { header: complete, shape: read.shape, partitions: emitted };
}
