import { sweepHalfWritten } from '@cuzk/service-kit/artifacts/folder-store';
import { deleteProofArtifacts, sweepRetention } from '@cuzk/service-kit/fleet/retention';
import type { Service } from '@cuzk/service-kit/open-service';
import type { Chore } from '@cuzk/service-kit/queues/chore-worker';
import { readProof } from '@cuzk/service-kit/record/read-proof';
import { redisTimeMs } from '@cuzk/service-kit/redis/redis-time';
import type { SynthWorkerConfig } from './config.ts';

const SWEEP_EVERY_MS = 5 * 60_000;
const HALF_WRITTEN_KEPT_MS = 60 * 60_000;

/** The retention sweep: once per period in the whole fleet. */
export function retentionChore(service: Service, config: SynthWorkerConfig): Chore {
  const limits = { c1KeptMs: config.C1_KEPT_MS, recordKeptMs: config.RECORD_KEPT_MS };
  return {
    everyMs: SWEEP_EVERY_MS,
    run: async () => {
      const { redis, artifacts } = service;
      const swept = await sweepRetention(redis, artifacts, limits);
      const nowMs = await redisTimeMs(redis);
      const halves = await sweepHalfWritten(config.ARTIFACT_DIR, HALF_WRITTEN_KEPT_MS, nowMs);
      service.logger.info({ ...swept, halves }, 'retention swept');
    },
  };
}

/** Deletes everything of a cancelled proof as soon as its run has ended. Returns the way to stop it. */
export function deleteCancelledAtOnce(service: Service, isLeader: () => boolean): () => void {
  const { notifications, redis, artifacts, logger } = service;
  const clear = async (proofId: string) => {
    const proof = await readProof(redis, proofId);
    if (proof?.state !== 'cancelled') return;
    await deleteProofArtifacts(artifacts, proofId);
  };
  return notifications.onStop((proofId) => {
    if (!isLeader()) return;
    clear(proofId).catch((error: unknown) => logger.warn({ err: error, proofId }, 'not cleared'));
  });
}
