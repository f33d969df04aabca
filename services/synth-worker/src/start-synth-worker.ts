import { createStoreProbe } from '@cuzk/service-kit/artifacts/store-probe';
import { isOn } from '@cuzk/service-kit/config/load-config';
import { paramsFoldersOf } from '@cuzk/service-kit/config/parameter-settings';
import { Coordinator } from '@cuzk/service-kit/fleet/coordinator';
import { registerFleetMetrics } from '@cuzk/service-kit/fleet/fleet-metrics';
import { registerProcessMetrics } from '@cuzk/service-kit/memory/memory-metrics';
import { openService } from '@cuzk/service-kit/open-service';
import { startOpsServer } from '@cuzk/service-kit/ops-server';
import { startChores } from '@cuzk/service-kit/queues/chore-worker';
import { StageWorker } from '@cuzk/service-kit/queues/stage-worker';
import type { RunningService } from '@cuzk/service-kit/run-service';
import { openVerifier } from '@cuzk/service-kit/threads/open-verifier';
import { keyPreparation } from '@cuzk/service-kit/threads/prepare-keys';
import { deleteCancelledAtOnce, retentionChore } from './chores.ts';
import type { SynthWorkerConfig } from './config.ts';
import { finalize } from './finalize-stage.ts';
import { availableMemoryBytes, defaultSynthThreads } from './host-memory.ts';
import { ingest } from './ingest-stage.ts';
import { admitSynthesis, synthesize } from './synthesize-stage.ts';
import { openSynthThreads } from './threads/open-synth-threads.ts';

/** Failures of a stage of one unit at which its run fails. */
const MAX_FAILURES = 3;
/** C1s checked at once: each is far ahead of what a device takes. */
const CHECK_THREADS_MAX = 4;
/** Synthesis threads that stand ready from the start; more come when they have work. */
const STARTED_AHEAD = 2;
/** Part of the hand-off pool, and places on top of the window, that only critical and high work has. */
const URGENT_SHARE = 1 / 8;

/** Connects, starts the stages of this service and its part of the fleet's upkeep. */
export async function startSynthWorker(config: SynthWorkerConfig): Promise<RunningService> {
  const service = await openService('synth-worker', config, 'patient');
  const { logger, presence } = service;
  const threadCount = config.SYNTH_THREADS || defaultSynthThreads();
  const memoryBytes = config.SYNTH_MEMORY_BYTES || Math.floor(availableMemoryBytes() / 2);
  // Verdicts are waited for by clients: they have threads of their own.
  const checkCount = Math.min(CHECK_THREADS_MAX, Math.max(1, Math.floor(threadCount / 4)));
  const checkThreads = openSynthThreads(checkCount);
  const synthThreads = openSynthThreads(threadCount);
  // The first proof after the start waits for none of them to load its code.
  checkThreads.startAhead(1);
  synthThreads.startAhead(Math.min(threadCount, STARTED_AHEAD));
  const verifier = openVerifier();
  const prepareKey = keyPreparation(verifier, paramsFoldersOf(config));

  const coordinator = new Coordinator(service, {
    handoffBytes: config.HANDOFF_BYTES,
    window: config.DISPATCH_WINDOW,
    // So that urgent work need not wait until ordinary work has left a full pool.
    urgentBytes: Math.floor(config.HANDOFF_BYTES * URGENT_SHARE),
    urgentWindow: Math.ceil(config.DISPATCH_WINDOW * URGENT_SHARE),
    quietMs: config.RECONNECT_QUIET_MS,
  });
  const isLeader = () => coordinator.leader;
  registerFleetMetrics(service, isLeader);
  registerProcessMetrics(service);
  const stopClearing = deleteCancelledAtOnce(service, isLeader);
  const chores = await startChores(service, { retention: retentionChore(service, config) });
  const stages = [
    await StageWorker.start(service, {
      stage: 'ingest',
      concurrency: checkCount + 1, // One more is read from the store meanwhile.
      maxFailures: MAX_FAILURES,
      handle: (claim, context) => ingest(service, checkThreads, claim, context),
    }),
    await StageWorker.start(service, {
      stage: 'synthesize',
      concurrency: threadCount,
      maxFailures: MAX_FAILURES,
      admit: (unit) => admitSynthesis(service, memoryBytes, unit),
      handle: (claim, context) => {
        // its proof is verified when it has been proved: by then the key is ready
        prepareKey(claim.sectorBytes, null);
        return synthesize(service, { synth: synthThreads, check: checkThreads }, claim, context);
      },
    }),
    await StageWorker.start(service, {
      stage: 'finalize',
      concurrency: 2,
      maxFailures: MAX_FAILURES,
      handle: (claim, context) =>
        finalize(service, { verifier, threads: checkThreads }, config, claim, context),
    }),
  ];
  const status = `${threadCount} synthesis thread(s)`;
  await presence.publish({ ready: true, status, slots: threadCount });
  const storeProblem = createStoreProbe(service.artifacts, service.identity.name);
  const readiness = async () => {
    const problem = service.redis.status === 'ready' ? await storeProblem() : 'Redis is away';
    return { ready: problem === null, status: problem ?? 'ready' };
  };
  const ops =
    config.OPS_PORT === 0
      ? null
      : await startOpsServer({ host: config.HOST, port: config.OPS_PORT }, service, {
          readiness,
          finish: async () => {
            await Promise.all(stages.map((stage) => stage.finish()));
          },
        });
  if (isOn(config.ALLOW_DEVELOPMENT_PARAMS)) {
    logger.warn('development parameters are allowed: proofs are worthless as security');
  }
  logger.info({ threadCount, memoryBytes, handoffBytes: config.HANDOFF_BYTES }, 'ready');

  return {
    logger,
    stop: async () => {
      await Promise.all(stages.map((stage) => stage.drain()));
      await ops?.close();
      stopClearing();
      await chores.close();
      await coordinator.close();
      await Promise.all([checkThreads.close(), synthThreads.close(), verifier.close()]);
      await service.close();
    },
  };
}
