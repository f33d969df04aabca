import { CuzkError } from '@cuzk/core/errors';
import type { Service } from '@cuzk/service-kit/open-service';
import type { StageContext } from '@cuzk/service-kit/queues/stage-options';
import { releaseHandoff, submitPartitionProof } from '@cuzk/service-kit/record/changes';
import type {
  Change,
  ParameterKind,
  PhaseTiming,
  ProveClaim,
} from '@cuzk/service-kit/record/types';
import { observePhases } from '@cuzk/service-kit/telemetry/phase-metrics';
import { SPANS } from '@cuzk/service-kit/telemetry/span-names';
import { writePhaseSpans } from '@cuzk/service-kit/telemetry/trace-context';
import type { ProvedWitness, WitnessFile } from './child-protocol.ts';
import type { LinedUp } from './device-line.ts';
import type { ProvedOnDevice } from './device-supervisor.ts';
import type { ProveNews } from './gpu-process.ts';

export interface ProveDependencies {
  readonly service: Service;
  /** The device, as DeviceSupervisor has it. */
  readonly device: {
    enter(sectorBytes: number): LinedUp;
    prove(
      sectorBytes: number,
      witness: WitnessFile,
      signal: AbortSignal,
      news: ProveNews,
    ): Promise<ProvedOnDevice>;
    publish(): Promise<void>;
    adapter(): string;
    tuning(): string;
  };
  /**
   * Independent verification, off this event loop: false for a proof that does not hold or is no encoding of points.
   */
  readonly verify: (
    sectorBytes: number,
    parameters: ParameterKind,
    proved: ProvedWitness,
  ) => Promise<boolean>;
}

/**
 * The prove stage: witness to the device, hand-off permit back as soon as it is there, proof, independent
 * verification, and only then the record. While this one is proved or verified the next one may be on its way. Throws
 * CuzkError PROOF_SELF_CHECK_FAILED for a proof that does not verify.
 */
export async function proveUnit(
  dependencies: ProveDependencies,
  claim: ProveClaim,
  context: StageContext,
): Promise<Change> {
  const { service, device } = dependencies;
  const { redis, identity, metrics, telemetry } = service;
  const { span } = context;
  const { proved, fetch } = await onDevice(dependencies, claim, context);
  const { parameters, residency } = proved;
  const startMs = Date.now();
  if (!(await dependencies.verify(claim.sectorBytes, parameters, proved))) {
    metrics.count('cuzk_self_check_failures', { stage: 'prove' });
    throw new CuzkError('PROOF_SELF_CHECK_FAILED', 'a proof of this device does not verify', {
      expected: 'a proof that verifies against the verifying key of its parameters',
      found: `a proof by ${device.adapter()} that does not`,
      action:
        'the partition is proved again elsewhere; this device tests itself before it takes more',
    });
  }
  const verify = { startMs, durationMs: Date.now() - startMs };
  const phases: PhaseTiming[] = [
    { name: SPANS.proveFetch, ...fetch, clock: 'wall' },
    ...proved.phases,
    { name: SPANS.verify, ...verify, clock: 'wall' },
  ];
  span.setAttribute('cuzk.adapter', device.adapter());
  span.setAttribute('cuzk.tuning', device.tuning());
  span.setAttribute('cuzk.circuit', claim.circuitId);
  span.setAttribute('cuzk.residency', residency);
  writePhaseSpans(telemetry.tracer, span, phases);
  observePhases(metrics, phases);
  countBusy(service, device.adapter(), phases);
  return submitPartitionProof(redis, claim.fence, {
    proof: proved.proof,
    parameters,
    worker: identity.name,
    phases,
  });
}

/** From the claim to the proof. The unit has its place in the line of the device for as long. */
async function onDevice(
  { service, device }: ProveDependencies,
  claim: ProveClaim,
  { signal, logger }: StageContext,
): Promise<{ proved: ProvedOnDevice; fetch: { startMs: number; durationMs: number } }> {
  const { redis, artifacts, buffers } = service;
  const place = device.enter(claim.sectorBytes);
  const held = buffers.hold('witness', 'prove', claim.witness.bytes);
  let well = false;
  try {
    const startMs = Date.now();
    const witness = { path: await artifacts.locate(claim.witness), artifact: claim.witness };
    const fetch = { startMs, durationMs: Date.now() - startMs };
    let handedOff: Promise<unknown> = Promise.resolve();
    const proved = await device.prove(claim.sectorBytes, witness, signal, {
      onUploaded: () => {
        held.release();
        handedOff = releaseHandoff(redis, claim.fence).catch((error: unknown) =>
          logger.warn({ err: error }, 'hand-off permit not released; the record releases it later'),
        );
      },
      onBegun: () => place.begun(),
    });
    well = true;
    await handedOff;
    return { proved, fetch };
  } finally {
    held.release();
    place.left(well);
    if (well) void device.publish();
  }
}

function countBusy({ metrics }: Service, adapter: string, phases: readonly PhaseTiming[]): void {
  const total = phases.find(({ name }) => name === SPANS.gpuTotal);
  if (total) metrics.count('cuzk_gpu_busy_seconds', { adapter }, total.durationMs / 1000);
}
