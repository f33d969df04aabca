import { bytesEqual } from '../bytes.ts';
import { CuzkError } from '../errors.ts';
import type { C1Header, ChallengeProof } from './c1-document.ts';
import { challengeProofReader } from './c1-proof-reader.ts';
import { readBytes32, readFr } from './json-bytes32.ts';
import { type JsonInput, malformed, type Pull, pointerOf, type Reader } from './json-input.ts';
import { readString } from './json-scalar.ts';
import {
  missingField,
  readAlternative,
  readArray,
  readFields,
  readItems,
  repeatedField,
  skipValue,
  wrongCount,
} from './json-value.ts';
import {
  partitionCount,
  type RegisteredProof,
  registeredProof,
  sectorBytesOfSizeKey,
} from './registered-proof.ts';
import { type SectorShape, sectorShape } from './sector.ts';

/** Receives a C1 as it is read. What a callback throws ends the reading. */
export interface C1Sink {
  /**
   * Once, as soon as all six header fields are known, read or told ahead; in the usual order that is at the very end.
   */
  readonly onHeader: (header: C1Header) => void;
  /** Once per challenge, in document order. */
  readonly onChallenge: (challenge: ReadChallenge) => void;
}

export interface ReadChallenge {
  readonly shape: SectorShape;
  readonly sizeKey: string;
  readonly partition: number;
  readonly index: number;
  readonly proof: ChallengeProof;
}

interface Vanilla {
  readonly sizeKey: string;
  readonly partitions: number;
}

/**
 * Reader of a whole C1 document (spec §2.2) for `readJsonChunks`. Fields may come in any order, unknown ones
 * are ignored, repeated ones are an error. Structure is checked here: types, counts, canonical field elements,
 * known proof type, matching size key; what the values mean is checked by the sink. One challenge is held at
 * a time. `ahead`: fields that somebody has read from the end of the document; they are checked when they come.
 * Throws C1_NOT_JSON, C1_MALFORMED, C1_UNSUPPORTED, C1_INCONSISTENT.
 *
 * The wrapper of Lotus and Curio (spec §2.5) is not read here: whoever accepts it turns its base64 into the
 * chunks that this reader is given.
 */
export function c1Reader(sink: C1Sink, ahead: Partial<C1Header> = {}): Reader<C1Header> {
  return function* (input) {
    const header: PartialHeader = {};
    let vanilla: Vanilla | undefined;
    let announced: C1Header | undefined;
    const headerFields = headerReaders(input, header);
    const fields: Record<string, () => Pull<void>> = {
      ...headerFields,
      *registered_proof() {
        yield* headerFields.registered_proof();
        if (vanilla !== undefined && header.registeredProof !== undefined) {
          checkVanilla(vanilla, header.registeredProof);
        }
      },
      *vanilla_proofs() {
        vanilla = yield* readVanillaProofs(input, header.registeredProof, sink);
      },
    };
    const seen = new Set<string>();
    yield* readFields(input, function* (key) {
      if (!Object.hasOwn(fields, key)) {
        yield* skipValue(input);
        return;
      }
      if (seen.has(key)) throw repeatedField(input);
      seen.add(key);
      yield* fields[key]();
      const known = { ...ahead, ...header };
      if (announced === undefined && isComplete(known)) {
        announced = known;
        sink.onHeader(announced);
      }
    });
    for (const name of Object.keys(fields)) {
      if (!seen.has(name)) throw missingField(input, name);
    }
    const read = header as C1Header;
    if (announced !== undefined) checkAhead(announced, read);
    return read;
  };
}

export type PartialHeader = { -readonly [K in keyof C1Header]?: C1Header[K] };

/** Readers of the fields of the header, by name in the document; each puts what it reads into `header`. */
export function headerReaders(input: JsonInput, header: PartialHeader) {
  return {
    *registered_proof(): Pull<void> {
      header.registeredProof = registeredProof(yield* readString(input), pointerOf(input));
    },
    *comm_r(): Pull<void> {
      header.commR = yield* readCommitment(input);
    },
    *comm_d(): Pull<void> {
      header.commD = yield* readCommitment(input);
    },
    *replica_id(): Pull<void> {
      header.replicaId = yield* readFr(input);
    },
    *seed(): Pull<void> {
      header.seed = notZero(input, yield* readBytes32(input));
    },
    *ticket(): Pull<void> {
      header.ticket = yield* readBytes32(input);
    },
  };
}

/** The header that was known ahead is the one that the document turned out to have. */
function checkAhead(ahead: C1Header, read: C1Header): void {
  for (const name of ['commR', 'commD', 'replicaId', 'seed', 'ticket'] as const) {
    if (bytesEqual(ahead[name], read[name])) continue;
    throw new CuzkError('C1_MALFORMED', 'the end of the document is not what it seemed', {
      expected: 'fields of the header once, behind the vanilla proofs',
      found: `another value of ${name}`,
    });
  }
}

const isComplete = (header: Partial<C1Header>): header is C1Header =>
  Object.keys(header).length === 6;

function* readCommitment(input: JsonInput): Pull<Uint8Array> {
  return notZero(input, yield* readFr(input));
}

function notZero(input: JsonInput, bytes: Uint8Array): Uint8Array {
  if (bytes.every((byte) => byte === 0)) {
    throw malformed(input, 'a value is all zero', {
      expected: '32 bytes that are not all zero',
      found: 'zero',
    });
  }
  return bytes;
}

function* readVanillaProofs(
  input: JsonInput,
  proof: RegisteredProof | undefined,
  sink: C1Sink,
): Pull<Vanilla> {
  const ofKey = (sizeKey: string): Reader<Vanilla> => {
    const sectorBytes = sectorBytesOfSizeKey(sizeKey);
    if (sectorBytes === undefined) throw unknownSizeKey(input, sizeKey);
    if (proof !== undefined) checkSizeKey(sizeKey, proof);
    const shape = sectorShape(sectorBytes);
    return function* () {
      const most = proof?.partitions ?? partitionCount(shape, 'NonInteractive');
      const partitions = yield* readPartitions(input, shape, sizeKey, most, sink);
      const vanilla = { sizeKey, partitions };
      if (proof !== undefined) checkVanilla(vanilla, proof);
      return vanilla;
    };
  };
  return yield* readAlternative(input, ofKey, 'one size key');
}

function* readPartitions(
  input: JsonInput,
  shape: SectorShape,
  sizeKey: string,
  most: number,
  sink: C1Sink,
): Pull<number> {
  const readProof = challengeProofReader(shape);
  return yield* readItems(input, function* (partition) {
    if (partition === most) {
      input.path.pop();
      throw wrongCount(input, most, 'partitions', `${most + 1} or more`);
    }
    let index = 0;
    yield* readArray(input, shape.challengesPerPartition, 'challenges', function* (item) {
      const proof = yield* readProof(item);
      sink.onChallenge({ shape, sizeKey, partition, index: index++, proof });
    });
  });
}

/** Also where the registered proof comes behind the vanilla proofs. */
function checkVanilla({ sizeKey, partitions }: Vanilla, proof: RegisteredProof): void {
  checkSizeKey(sizeKey, proof);
  if (partitions !== proof.partitions) {
    throw new CuzkError('C1_MALFORMED', 'the number of partitions is wrong', {
      expected: `${proof.partitions} partitions`,
      found: String(partitions),
      pointer: `/vanilla_proofs/${sizeKey}`,
    });
  }
}

function checkSizeKey(sizeKey: string, proof: RegisteredProof): void {
  if (sizeKey === proof.sizeKey) return;
  throw new CuzkError('C1_INCONSISTENT', 'the size key does not match the proof type', {
    expected: proof.sizeKey,
    found: sizeKey,
    pointer: `/vanilla_proofs/${sizeKey}`,
  });
}

const unknownSizeKey = (input: JsonInput, key: string) =>
  new CuzkError('C1_UNSUPPORTED', 'the size key is not known', {
    expected: 'StackedDrg and a sector size and V1, e.g. StackedDrg32GiBV1',
    found: key.slice(0, 64),
    pointer: pointerOf(input),
  });
