import { Coordinator, type CoordinatorOptions } from '../fleet/coordinator.ts';
import { openService, type ServiceSettings } from '../open-service.ts';
import { type RunningService, runService } from '../run-service.ts';
import { seededRandom } from './seeded-random.ts';
import { type SimulatedCpu, startSimulatedCpuStages } from './simulated-cpu-stages.ts';
import { type SimulatedProving, startSimulatedProver } from './simulated-prover.ts';

/** What one process of a simulated fleet does; given as JSON in the first argument. */
export interface SimulatedWorkerPlan {
  readonly settings: ServiceSettings;
  /** The same seed fails the same attempts, counted from the start of the process. */
  readonly seed?: number;
  readonly coordinator?: CoordinatorOptions;
  readonly cpu?: SimulatedCpu;
  readonly proving?: SimulatedProving;
}

async function start(plan: SimulatedWorkerPlan): Promise<RunningService> {
  const role = plan.proving === undefined ? 'synth-worker' : 'gpu-worker';
  const service = await openService(role, plan.settings, 'patient');
  const coordinator = plan.coordinator && new Coordinator(service, plan.coordinator);
  const random = plan.seed === undefined ? Math.random : seededRandom(plan.seed);
  const cpu = plan.cpu && (await startSimulatedCpuStages(service, plan.cpu, random));
  const prover = plan.proving && (await startSimulatedProver(service, plan.proving, random));
  service.logger.info('ready');
  return {
    logger: service.logger,
    stop: async () => {
      await Promise.all([cpu?.drain(), prover?.drain()]);
      await coordinator?.close();
      await service.close();
    },
  };
}

await runService('simulated-worker', () =>
  start(JSON.parse(process.argv[2] ?? '{}') as SimulatedWorkerPlan),
);
