import { setTimeout as sleep } from 'node:timers/promises';
import { CuzkError } from '@cuzk/core/errors';
import { inputRef, publicInputsRef, witnessRef } from '../artifacts/names.ts';
import type { Service } from '../open-service.ts';
import { StageWorker } from '../queues/stage-worker.ts';
import { acceptC1, submitSimulatedEnd, submitWitness } from '../record/changes.ts';
import type { Stage } from '../record/types.ts';
import { stuck } from './stuck.ts';

export interface SimulatedCpu {
  readonly circuitId: string;
  readonly partitions: number;
  readonly witnessBytes: number;
  /** Syntheses at once. */
  readonly threads: number;
  /** What a synthesis takes, ms. */
  readonly synthesizeMs: number;
  /** Share of syntheses that fail, 0 … 1. */
  readonly failShare: number;
  /** A stage that takes jobs and never gets to claim their units: a process that dies in between. */
  readonly stuckStage?: Stage;
}

const MAX_FAILURES = 8;
const INPUT_BYTES = 64;

/** Ingest, synthesis and finalize for load tests: artifacts are real and small, nothing is computed. */
export async function startSimulatedCpuStages(
  service: Service,
  cpu: SimulatedCpu,
  random: () => number = Math.random,
): Promise<{ drain(): Promise<void> }> {
  const { redis, artifacts, presence } = service;
  await presence.publish({ ready: true, status: 'simulated', slots: cpu.threads });
  const common = (stage: Stage) => ({
    maxFailures: MAX_FAILURES,
    ...(cpu.stuckStage === stage ? { admit: stuck } : {}),
  });
  const ingest = await StageWorker.start(service, {
    ...common('ingest'),
    stage: 'ingest',
    concurrency: 2,
    handle: async ({ fence, c1 }) => {
      await artifacts.get(c1);
      const bytes = Buffer.alloc(INPUT_BYTES, 1);
      const puts = Array.from({ length: cpu.partitions }, (_, k) =>
        artifacts.put(inputRef(fence, k), bytes),
      );
      const inputs = await Promise.all(puts);
      const publicInputs = await artifacts.put(publicInputsRef(fence), bytes);
      const { circuitId, witnessBytes } = cpu;
      return acceptC1(redis, fence, {
        ...{ circuitId, witnessBytes, sectorBytes: 2048 },
        ...{ publicInputs, inputs },
      });
    },
  });
  const synthesize = await StageWorker.start(service, {
    ...common('synthesize'),
    stage: 'synthesize',
    concurrency: cpu.threads,
    handle: async ({ fence, input }, { signal }) => {
      await artifacts.get(input);
      await sleep(cpu.synthesizeMs, undefined, { signal });
      if (random() < cpu.failShare) throw new CuzkError('SHAPE_MALFORMED', 'a simulated failure');
      const witness = await artifacts.put(witnessRef(fence), Buffer.alloc(cpu.witnessBytes, 2));
      const change = await submitWitness(redis, fence, witness, []);
      if (!change.accepted) await artifacts.delete(witness.ref);
      return change;
    },
  });
  const finalize = await StageWorker.start(service, {
    ...common('finalize'),
    stage: 'finalize',
    concurrency: 2,
    handle: async ({ fence, parameters }) => {
      if (parameters === 'simulated') return submitSimulatedEnd(redis, fence);
      throw new CuzkError('PROOF_SIMULATED', 'a real proof in a simulated fleet', {
        expected: 'simulated',
        found: parameters,
      });
    },
  });
  return {
    drain: async () => {
      await Promise.all([ingest, synthesize, finalize].map((stage) => stage.drain()));
    },
  };
}
