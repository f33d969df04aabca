import { CuzkError } from '@cuzk/core/errors';
import type { Service } from '@cuzk/service-kit/open-service';
import type { StageContext } from '@cuzk/service-kit/queues/stage-worker';
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
import type { ProvedWitness } from './child-protocol.ts';
import type { ProofCheck } from './proof-checker.ts';

export interface ProveDependencies {
  readonly service: Service;
  /** Proves on the device; cancelled by the signal. */
  readonly prove: (
    sectorBytes: number,
    witnessPath: string,
    signal: AbortSignal,
    onUploaded: () => void,
  ) => Promise<ProvedWitness>;
  /** Independent verification, off this event loop. */
  readonly check: (check: ProofCheck) => Promise<boolean>;
  /** Key that belongs to the parameters a circuit was loaded with. */
  readonly parametersOf: (sectorBytes: number) => { kind: ParameterKind; vkPath: string };
  readonly adapter: () => string;
}

/**
 * The prove stage: witness to the device, hand-off permit back as soon as it is there, proof, independent
 * verification, and only then the record. Throws CuzkError PROOF_SELF_CHECK_FAILED for a proof that does not verify.
 */
export async function proveUnit(
  dependencies: ProveDependencies,
  claim: ProveClaim,
  { signal, logger, span }: StageContext,
): Promise<Change> {
  const { service, prove, check, parametersOf } = dependencies;
  const { redis, artifacts, identity, metrics, telemetry, buffers } = service;
  const fetchStartMs = Date.now();
  const witnessPath = await artifacts.localPath(claim.witness);
  const fetchMs = Date.now() - fetchStartMs;
  const held = buffers.hold('witness', 'prove', claim.witness.bytes);
  let handedOff: Promise<unknown> = Promise.resolve();
  const onUploaded = () => {
    held.release();
    handedOff = releaseHandoff(redis, claim.fence).catch((error: unknown) =>
      logger.warn({ err: error }, 'hand-off permit not released; the record releases it later'),
    );
  };
  const proved = await prove(claim.sectorBytes, witnessPath, signal, onUploaded).finally(() =>
    held.release(),
  );
  await handedOff;
  const parameters = parametersOf(claim.sectorBytes);
  const startMs = Date.now();
  const valid = await check({
    vkPath: parameters.vkPath,
    publicInputs: proved.publicInputs,
    proof: proved.proof,
  });
  if (!valid) {
    metrics.count('cuzk_self_check_failures', { stage: 'prove' });
    throw new CuzkError('PROOF_SELF_CHECK_FAILED', 'a proof of this device does not verify', {
      expected: 'a proof that verifies against the verifying key of its parameters',
      found: `a proof by ${dependencies.adapter()} that does not`,
      action:
        'the partition is proved again elsewhere; this device tests itself before it takes more',
    });
  }
  const phases: PhaseTiming[] = [
    { name: SPANS.proveFetch, startMs: fetchStartMs, durationMs: fetchMs, clock: 'wall' },
    ...proved.phases,
    { name: SPANS.verify, startMs, durationMs: Date.now() - startMs, clock: 'wall' },
  ];
  span.setAttribute('cuzk.adapter', dependencies.adapter());
  span.setAttribute('cuzk.circuit', claim.circuitId);
  writePhaseSpans(telemetry.tracer, span, phases);
  observePhases(metrics, phases);
  countBusy(service, dependencies.adapter(), phases);
  return submitPartitionProof(redis, claim.fence, {
    proof: proved.proof,
    parameters: parameters.kind,
    worker: identity.name,
    phases,
  });
}

function countBusy({ metrics }: Service, adapter: string, phases: readonly PhaseTiming[]): void {
  const total = phases.find(({ name }) => name === SPANS.gpuTotal);
  if (total) metrics.count('cuzk_gpu_busy_seconds', { adapter }, total.durationMs / 1000);
}
