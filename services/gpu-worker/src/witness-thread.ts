import { createHash } from 'node:crypto';
import { open } from 'node:fs/promises';
import { CuzkError } from '@cuzk/core/errors';
import type { CompactWitness } from '@cuzk/core/r1cs/compact-witness';
import { decodeCompactWitness } from '@cuzk/core/r1cs/compact-witness-file';
import { checkDigest } from '@cuzk/service-kit/artifacts/digest';
import { serveThread } from '@cuzk/service-kit/threads/serve-thread';
import type { WitnessFile } from './child-protocol.ts';

/**
 * Reads, checks and decodes witness files, so that the loop which feeds the device never waits for a hash over 70 MB.
 * The whole file is compared with its digest, once; the memory of the answer is the file's own. Throws CuzkError
 * ARTIFACT_MISSING, ARTIFACT_DIGEST_MISMATCH, WITNESS_MALFORMED.
 */
serveThread<WitnessFile, never, CompactWitness>(async ({ path, artifact }) => {
  const bytes = await readWhole(path);
  checkDigest(artifact, bytes.length, createHash('sha256').update(bytes).digest('hex'));
  const { witness } = decodeCompactWitness(bytes, null);
  return { answer: witness, transfer: [bytes.buffer] };
});

/** All bytes of a file in a buffer of their own, which can be given to another thread. */
async function readWhole(path: string): Promise<Uint8Array<ArrayBuffer>> {
  const file = await open(path).catch((cause: unknown) => {
    throw new CuzkError('ARTIFACT_MISSING', 'the witness file is gone', {}, cause);
  });
  try {
    const bytes = new Uint8Array((await file.stat()).size);
    let at = 0;
    while (at < bytes.length) {
      const { bytesRead } = await file.read(bytes, at, bytes.length - at, at);
      if (bytesRead === 0) return bytes.slice(0, at);
      at += bytesRead;
    }
    return bytes;
  } finally {
    await file.close();
  }
}
