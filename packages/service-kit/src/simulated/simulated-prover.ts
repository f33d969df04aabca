import { setTimeout as sleep } from 'node:timers/promises';
import { CuzkError, type ErrorCode } from '@cuzk/core/errors';
import type { Service } from '../open-service.ts';
import { StageWorker } from '../queues/stage-worker.ts';
import { releaseHandoff, submitPartitionProof } from '../record/changes.ts';
import { stuck } from './stuck.ts';

export interface SimulatedProving {
  /** Circuits it says it can prove. */
  readonly circuits: readonly string[];
  /** Devices of this process: partitions proved at once. */
  readonly devices: number;
  /** What a partition takes, ms. */
  readonly proveMs: number;
  /** Share of attempts that fail, 0 … 1. */
  readonly failShare: number;
  /** What they fail with. */
  readonly failCode: ErrorCode;
  /** Takes jobs and never gets to claim their units. */
  readonly stuck?: boolean;
}

/** Failures of proving one partition at which its run fails. */
const MAX_FAILURES = 8;
/** Part of the time after which the witness counts as uploaded. */
const UPLOAD_SHARE = 0.05;

/**
 * A prove stage for load tests that computes nothing: it takes partitions, holds them as long as it is told to, and
 * marks every result as simulated, so that none can be verified or returned as a proof. Queue, record, permits and
 * artifacts around it are real.
 */
export async function startSimulatedProver(
  service: Service,
  { circuits, devices, proveMs, failShare, failCode, stuck: isStuck }: SimulatedProving,
  random: () => number = Math.random,
): Promise<StageWorker<'prove'>> {
  const { redis, artifacts, presence, identity, logger } = service;
  logger.warn({ devices, proveMs }, 'this prover is simulated: its results prove nothing');
  await presence.publish({
    ready: true,
    status: 'simulated',
    circuits,
    parameters: 'simulated',
    adapter: 'simulated',
    slots: devices,
    secondsPerPartition: Object.fromEntries(circuits.map((id) => [id, proveMs / 1000])),
  });
  return StageWorker.start(service, {
    stage: 'prove',
    concurrency: devices,
    maxFailures: MAX_FAILURES,
    circuits: () => circuits,
    selfTest: async () => true,
    ...(isStuck ? { admit: stuck } : {}),
    handle: async ({ fence, witness }, { signal }) => {
      await artifacts.get(witness);
      await sleep(proveMs * UPLOAD_SHARE, undefined, { signal });
      await releaseHandoff(redis, fence);
      await sleep(proveMs * (1 - UPLOAD_SHARE), undefined, { signal });
      if (random() < failShare) throw new CuzkError(failCode, 'a simulated failure');
      return submitPartitionProof(redis, fence, {
        proof: new Uint8Array(192),
        parameters: 'simulated',
        worker: identity.name,
        phases: [],
      });
    },
  });
}
