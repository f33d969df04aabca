import type { Redis } from 'ioredis';
import { isOfPartition, proofOfRef, proofPrefix } from '../artifacts/names.ts';
import type { ArtifactStat, ArtifactStore } from '../artifacts/types.ts';
import { readProof } from '../record/read-proof.ts';
import { forgetProof } from '../record/run-control.ts';
import type { ProofRecord } from '../record/types.ts';
import { ENDED_KEY } from '../redis/keys.ts';
import { redisTimeMs } from '../redis/redis-time.ts';

export interface RetentionLimits {
  /** C1 after the end of its run. */
  readonly c1KeptMs: number;
  /** Records, events and results after the end of the run. */
  readonly recordKeptMs: number;
}

/** An artifact that no record names may be about to be named for this long. */
const UNNAMED_KEPT_MS = 60 * 60_000;

/** Every artifact that the record still needs, by name. */
function neededRefs(proof: ProofRecord, now: number, limits: RetentionLimits): Set<string> {
  const needed = new Set<string>();
  const need = (artifact: { readonly ref: string } | null) => artifact && needed.add(artifact.ref);
  if (proof.endedAt === null) {
    need(proof.c1);
    need(proof.publicInputs);
    for (const partition of proof.partitions) {
      need(partition.input);
      if (partition.state !== 'proved') need(partition.witness);
    }
    return needed;
  }
  if (proof.state === 'cancelled') return needed;
  if (now - proof.endedAt < limits.c1KeptMs) need(proof.c1);
  if (now - proof.endedAt < limits.recordKeptMs) {
    // Whoever checks the result again needs what it is a proof of.
    for (const kept of [proof.result, proof.publicInputs]) need(kept);
  }
  return needed;
}

/**
 * Whether an artifact may go now. `proof` is the record it belongs to, null when there is none. A Redis that has lost
 * its records, or has not got them back yet, says nothing of results: what cannot be made again goes by its own age.
 */
function mayDelete(
  artifact: ArtifactStat,
  proof: ProofRecord | null,
  now: number,
  limits: RetentionLimits,
): boolean {
  const ageMs = now - artifact.modifiedAt;
  const fresh = ageMs < UNNAMED_KEPT_MS;
  if (!proof) return !fresh && (isOfPartition(artifact.ref) || ageMs >= limits.recordKeptMs);
  if (neededRefs(proof, now, limits).has(artifact.ref)) return false;
  // Work in progress may be writing what it has not submitted yet.
  return proof.endedAt !== null || !fresh;
}

export interface Sweep {
  /** Deleted. */
  readonly artifacts: number;
  /** Deleted. */
  readonly records: number;
  /** Artifacts of proofs that have no record and that stay for now: many of them where Redis has lost its data. */
  readonly withoutRecord: number;
}

/**
 * Deletes what no record needs any more, and records past their time, by the clock of Redis, which wrote their times:
 * a worker whose own is ahead would delete results that are wanted. `nowMs` is for tests.
 */
export async function sweepRetention(
  redis: Redis,
  artifacts: ArtifactStore,
  limits: RetentionLimits,
  nowMs?: number,
): Promise<Sweep> {
  const now = nowMs ?? (await redisTimeMs(redis));
  let deleted = 0;
  let withoutRecord = 0;
  let current: { id: string; proof: ProofRecord | null } = { id: '', proof: null };
  for await (const artifact of artifacts.list('proofs/')) {
    const id = proofOfRef(artifact.ref);
    if (id === null) continue;
    if (current.id !== id) current = { id, proof: await readProof(redis, id) };
    if (!mayDelete(artifact, current.proof, now, limits)) {
      if (current.proof === null) withoutRecord++;
    } else if (await artifacts.delete(artifact.ref)) deleted++;
  }
  let records = 0;
  const old = await redis.zrangebyscore(ENDED_KEY, '-inf', now - limits.recordKeptMs);
  for (const id of old) if (await forgetProof(redis, id)) records++;
  return { artifacts: deleted, records, withoutRecord };
}

/** Deletes everything of one proof, for a run that was cancelled: its artifacts go at once. */
export async function deleteProofArtifacts(
  artifacts: ArtifactStore,
  proofId: string,
): Promise<number> {
  let deleted = 0;
  for await (const { ref } of artifacts.list(proofPrefix(proofId))) {
    if (await artifacts.delete(ref)) deleted++;
  }
  return deleted;
}
