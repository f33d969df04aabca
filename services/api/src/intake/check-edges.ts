import { CuzkError } from '@cuzk/core/errors';
import { registeredProof, sectorBytesOfSizeKey } from '@cuzk/core/porep/registered-proof';
import { requireObject } from './first-character.ts';

/** Enough to see the proof type or the size key, which stand at the beginning of every C1 known. */
const HEAD_BYTES = 1024;

/** What the first bytes of a C1 give away; null where they do not. */
export interface HeadFacts {
  sectorBytes: number | null;
}

/**
 * Passes a C1 document on and refuses at once what its two ends show: another proof type or size key than the
 * registered ones, no object, no end. Everything between is ingest's to check. Throws C1_NOT_JSON,
 * C1_UNSUPPORTED.
 */
export async function* checkEdges(
  chunks: AsyncIterable<Uint8Array>,
  facts: HeadFacts,
): AsyncGenerator<Uint8Array> {
  let head: string | null = '';
  let last = '';
  for await (const chunk of chunks) {
    if (head !== null) {
      head += Buffer.from(chunk).subarray(0, HEAD_BYTES).toString('latin1');
      if (head.length >= HEAD_BYTES) {
        lookAtHead(head, facts);
        head = null;
      }
    }
    last = lastCharacter(chunk) ?? last;
    yield chunk;
  }
  if (head !== null) lookAtHead(head, facts);
  if (last !== '}') {
    throw new CuzkError('C1_NOT_JSON', 'the document ends before its JSON does', {
      expected: '"}" at the end of the document',
      found: last === '' ? 'an empty document' : 'something else',
    });
  }
}

function lookAtHead(head: string, facts: HeadFacts): void {
  requireObject(head);
  const name = /"registered_proof"\s*:\s*"([^"\\]{0,64})"/.exec(head)?.[1];
  if (name !== undefined) facts.sectorBytes = registeredProof(name).sectorBytes;
  const key = /"vanilla_proofs"\s*:\s*\{\s*"([^"\\]{0,64})"/.exec(head)?.[1];
  if (key === undefined) return;
  const sectorBytes = sectorBytesOfSizeKey(key);
  if (sectorBytes === undefined) {
    throw new CuzkError('C1_UNSUPPORTED', 'the size key is not known', {
      expected: 'StackedDrg and a sector size and V1, e.g. StackedDrg32GiBV1',
      found: key,
      pointer: '/vanilla_proofs',
    });
  }
  facts.sectorBytes ??= sectorBytes;
}

/** The last character of a chunk that is not whitespace. */
function lastCharacter(chunk: Uint8Array): string | null {
  for (let i = chunk.length - 1; i >= 0; i--) {
    const byte = chunk[i] as number;
    if (byte > 0x20) return String.fromCharCode(byte);
  }
  return null;
}
