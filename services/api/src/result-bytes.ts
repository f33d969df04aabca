import { createHash } from 'node:crypto';
import { CuzkError } from '@cuzk/core/errors';
import type { Service } from '@cuzk/service-kit/open-service';
import type { ArtifactRef, ProofRecord } from '@cuzk/service-kit/record/types';

/**
 * The bytes of a result. Where the artifact is gone or damaged they are put together again from the partition proofs on
 * the record, and stored: a proof that succeeded is not made again, nor is a new one of its content. Throws what reading
 * the artifact throws where the record gives other bytes.
 */
export async function resultBytes(
  { artifacts, logger }: Pick<Service, 'artifacts' | 'logger'>,
  { proofId, partitions }: Pick<ProofRecord, 'proofId' | 'partitions'>,
  result: ArtifactRef,
): Promise<Uint8Array> {
  try {
    return await artifacts.get(result);
  } catch (error) {
    if (!isDamage(error)) throw error;
    const proofs = partitions.map(({ proofHex }) => Buffer.from(proofHex ?? '', 'hex'));
    const bytes = Buffer.concat(proofs);
    if (createHash('sha256').update(bytes).digest('hex') !== result.sha256) throw error;
    logger.warn({ err: error, proofId }, 'result put together again from the record');
    await artifacts
      .put(result.ref, bytes)
      .catch((failure: unknown) => logger.warn({ err: failure, proofId }, 'result not stored'));
    return bytes;
  }
}

const isDamage = (error: unknown): boolean =>
  error instanceof CuzkError &&
  (error.code === 'ARTIFACT_MISSING' || error.code === 'ARTIFACT_DIGEST_MISMATCH');
