import type { Readable } from 'node:stream';
import type { ArtifactRef } from '../record/types.ts';

export interface ArtifactStat {
  readonly ref: string;
  readonly bytes: number;
  /** Unix ms of the last change. */
  readonly modifiedAt: number;
}

/** Bytes under names of the form `proofs/<proofId>/…`. Writes are atomic: a name holds all bytes or none. */
export interface ArtifactStore {
  /** Stores the bytes under `ref`, replacing what was there. Throws RangeError on an unsafe name. */
  put(ref: string, source: Uint8Array | Readable): Promise<ArtifactRef>;
  /** All bytes, digest checked. Throws ARTIFACT_MISSING, ARTIFACT_DIGEST_MISMATCH. */
  get(artifact: ArtifactRef): Promise<Uint8Array>;
  /** A local file with these bytes (digest checked) for a child process or thread; valid while the artifact is. */
  localPath(artifact: ArtifactRef): Promise<string>;
  /** As localPath, for a reader that compares the digest itself: the file is not read here. Throws ARTIFACT_MISSING. */
  locate(artifact: ArtifactRef): Promise<string>;
  /** null when absent. */
  stat(ref: string): Promise<ArtifactStat | null>;
  /** True when something was deleted; deleting what is absent is no error. */
  delete(ref: string): Promise<boolean>;
  /** Every artifact whose name begins with `prefix`, in name order. */
  list(prefix: string): AsyncIterable<ArtifactStat>;
}
