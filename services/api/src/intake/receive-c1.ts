import { createHash, type Hash } from 'node:crypto';
import { Readable } from 'node:stream';
import { CuzkError } from '@cuzk/core/errors';
import { c1Ref } from '@cuzk/service-kit/artifacts/names';
import type { ArtifactStore } from '@cuzk/service-kit/artifacts/types';
import type { ArtifactRef } from '@cuzk/service-kit/record/types';
import { checkEdges, type HeadFacts } from './check-edges.ts';
import { gunzip } from './gunzip.ts';
import { limitBytes, tooLarge } from './limit-bytes.ts';
import { chooseNamed, type Named, type SectorIdentity } from './sector-identity.ts';
import { unwrapC1, type WrapperFields } from './unwrap-c1.ts';

export interface Submission {
  readonly body: AsyncIterable<Uint8Array>;
  readonly contentLength: number | null;
  readonly contentEncoding: string;
  /** What query and headers say. */
  readonly miner: Omit<Named, 'body'>;
  readonly sector: Omit<Named, 'body'>;
}

export interface ReceivedC1 extends SectorIdentity {
  readonly c1: ArtifactRef;
  /** sha256 hex over the C1 bytes, miner, sector and kind. */
  readonly contentKey: string;
  /** As its beginning says; null where it does not. */
  readonly sectorBytes: number | null;
}

type Place = keyof Omit<Named, 'body'>;

/**
 * Streams a submission into the artifact store as plain C1 bytes: unpacked, unwrapped, within limits, refused
 * at the first sign that it cannot be one. Memory is a few chunks. Throws BODY_TOO_LARGE, REQUEST_INVALID,
 * C1_NOT_JSON, C1_MALFORMED, C1_UNSUPPORTED, C1_INCONSISTENT, CAPACITY_EXHAUSTED; nothing is then stored.
 */
export async function receiveC1(
  artifacts: ArtifactStore,
  proofId: string,
  submission: Submission,
  maxBytes: number,
): Promise<ReceivedC1> {
  if ((submission.contentLength ?? 0) > maxBytes) throw tooLarge(maxBytes, 'body');
  // What query and headers name wrongly is refused before the body is read.
  for (const what of ['miner', 'sector'] as const) {
    const named = submission[what];
    if (PLACES.some((place) => named[place])) chooseNamed(what, { ...named, body: undefined });
  }
  const fields: WrapperFields = {};
  const facts: HeadFacts = { sectorBytes: null };
  const hash = createHash('sha256');
  const plain = limitBytes(decoded(submission, maxBytes), maxBytes, 'unpacked body');
  const c1Bytes = hashed(checkEdges(unwrapC1(plain, fields), facts), hash);
  const c1 = await artifacts.put(c1Ref(proofId), Readable.from(c1Bytes));
  try {
    const { miner, sector } = submission;
    const minerId = chooseNamed('miner', { ...miner, body: fields.miner });
    const sectorNumber = chooseNamed('sector', { ...sector, body: fields.sectorNumber });
    checkSectorSize(fields, facts);
    hash.update(`|${minerId}|${sectorNumber}|porep`);
    const { sectorBytes } = facts;
    return { c1, contentKey: hash.digest('hex'), minerId, sectorNumber, sectorBytes };
  } catch (error) {
    await artifacts.delete(c1.ref);
    throw error;
  }
}

const PLACES: readonly Place[] = ['query', 'header'];

function decoded(
  { body, contentEncoding }: Submission,
  maxBytes: number,
): AsyncIterable<Uint8Array> {
  const limited = limitBytes(body, maxBytes, 'body');
  if (contentEncoding === '' || contentEncoding === 'identity') return limited;
  if (contentEncoding === 'gzip' || contentEncoding === 'x-gzip') return gunzip(limited);
  throw new CuzkError('REQUEST_INVALID', 'the content encoding is not supported', {
    expected: 'none or gzip',
    found: contentEncoding.slice(0, 32),
  });
}

async function* hashed(chunks: AsyncIterable<Uint8Array>, hash: Hash): AsyncGenerator<Uint8Array> {
  for await (const chunk of chunks) {
    hash.update(chunk);
    yield chunk;
  }
}

function checkSectorSize(fields: WrapperFields, facts: HeadFacts): void {
  if (fields.sectorBytes === undefined || facts.sectorBytes === null) return;
  if (fields.sectorBytes === facts.sectorBytes) return;
  throw new CuzkError('C1_INCONSISTENT', 'the sector size is not that of the proof type', {
    pointer: '/SectorSize',
    expected: String(facts.sectorBytes),
    found: String(fields.sectorBytes),
  });
}
