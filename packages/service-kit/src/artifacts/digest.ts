import { CuzkError } from '@cuzk/core/errors';
import type { ArtifactRef } from '../record/types.ts';

export const missing = (artifact: ArtifactRef): CuzkError =>
  new CuzkError('ARTIFACT_MISSING', 'A stored artifact is gone.', {
    expected: `${artifact.bytes} bytes under ${artifact.ref}`,
    found: 'nothing',
  });

/** Throws ARTIFACT_DIGEST_MISMATCH when what was read is not what was stored. */
export function checkDigest(artifact: ArtifactRef, bytes: number, sha256: string): void {
  if (sha256 === artifact.sha256 && bytes === artifact.bytes) return;
  throw new CuzkError('ARTIFACT_DIGEST_MISMATCH', `Artifact ${artifact.ref} is damaged.`, {
    expected: `${artifact.bytes} bytes, sha256 ${artifact.sha256}`,
    found: `${bytes} bytes, sha256 ${sha256}`,
  });
}
