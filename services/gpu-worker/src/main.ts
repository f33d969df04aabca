import { circuitId } from '@cuzk/core/porep/circuit-id';
import { parseSectorSize, SECTOR_SHAPES, sectorShape } from '@cuzk/core/porep/sector';
import { createStoreProbe } from '@cuzk/service-kit/artifacts/store-probe';
import { sweepUnfinished } from '@cuzk/service-kit/circuits/replace-file';
import { cacheDirOf, paramsFoldersOf } from '@cuzk/service-kit/config/parameter-settings';
import { registerProcessMetrics } from '@cuzk/service-kit/memory/memory-metrics';
import { openService } from '@cuzk/service-kit/open-service';
import { startOpsServer } from '@cuzk/service-kit/ops-server';
import { StageWorker } from '@cuzk/service-kit/queues/stage-worker';
import { type RunningService, runService } from '@cuzk/service-kit/run-service';
import { startSimulatedProver } from '@cuzk/service-kit/simulated/simulated-prover';
import { openVerifier } from '@cuzk/service-kit/threads/open-verifier';
import { keyPreparation } from '@cuzk/service-kit/threads/prepare-keys';
import { type GpuWorkerConfig, readConfig } from './config.ts';
import { DeviceSupervisor } from './device-supervisor.ts';
import { proveUnit } from './prove-unit.ts';
import { verifyProved } from './verify-proved.ts';

/** Failures of proving one partition at which its run fails. */
const MAX_FAILURES = 4;

/** The prove stage: one device, one partition at a time, and the next one ready beside it. */
async function startGpuWorker(config: GpuWorkerConfig): Promise<RunningService> {
  const service = await openService('gpu-worker', config, 'patient');
  const verifier = openVerifier();
  const folders = paramsFoldersOf(config);
  const device = new DeviceSupervisor(service, config, {
    onLoaded: keyPreparation(verifier, folders),
  });
  registerProcessMetrics(service);
  const storeProblem = createStoreProbe(service.artifacts, service.identity.name);
  const readiness = async () => {
    if (!device.ready) return { ready: false, status: device.status };
    const problem = await storeProblem();
    return { ready: problem === null, status: problem ?? device.status };
  };
  const dependencies = { service, device, verify: verifyProved(verifier, folders) };
  const stage = await StageWorker.start(service, {
    stage: 'prove',
    concurrency: config.HELD_PARTITIONS,
    beginsInMs: () => device.beginsInMs(),
    maxFailures: MAX_FAILURES,
    circuits: () => device.circuits(),
    handle: (claim, context) => proveUnit(dependencies, claim, context),
    selfTest: () => device.isSound(),
  });
  const ops = await startOpsServer({ host: config.HOST, port: config.OPS_PORT }, service, {
    readiness,
    finish: () => stage.finish(),
    circuits: {
      list: async () =>
        (await device.held()).map(({ sectorBytes, ...state }) => ({
          sector: sectorShape(sectorBytes).name,
          ...state,
        })),
      preload: (name) => device.preload(sectorShape(parseSectorSize(name))),
      evict: (name) => device.evict(sectorShape(parseSectorSize(name))),
    },
  });
  void sweepUnfinished(cacheDirOf(config));
  void device.start();
  return {
    logger: service.logger,
    stop: async () => {
      await stage.drain();
      await device.close();
      await verifier.close();
      await ops.close();
      await service.close();
    },
  };
}

/** A stage without a device, for load tests. */
async function startSimulated(config: GpuWorkerConfig): Promise<RunningService> {
  const service = await openService('gpu-worker', config, 'patient');
  registerProcessMetrics(service);
  const stage = await startSimulatedProver(service, {
    circuits: SECTOR_SHAPES.map(circuitId),
    devices: config.SIMULATED_DEVICES,
    proveMs: config.SIMULATED_PROVE_MS,
    failShare: config.SIMULATED_FAIL_SHARE,
    failCode: 'GPU_OUT_OF_MEMORY',
  });
  const ops = await startOpsServer({ host: config.HOST, port: config.OPS_PORT }, service, {
    readiness: () => ({ ready: true, status: 'simulated' }),
    finish: () => stage.finish(),
  });
  service.logger.info('ready');
  return {
    logger: service.logger,
    stop: async () => {
      await stage.drain();
      await ops.close();
      await service.close();
    },
  };
}

await runService('gpu-worker', () => {
  const config = readConfig();
  return config.PROVER === 'simulated' ? startSimulated(config) : startGpuWorker(config);
});
