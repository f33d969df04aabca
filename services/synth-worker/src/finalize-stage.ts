import { CuzkError } from '@cuzk/core/errors';
import { resultRef } from '@cuzk/service-kit/artifacts/names';
import { isOn } from '@cuzk/service-kit/config/load-config';
import {
  type ParameterSettings,
  paramsFoldersOf,
} from '@cuzk/service-kit/config/parameter-settings';
import type { Service } from '@cuzk/service-kit/open-service';
import type { StageContext } from '@cuzk/service-kit/queues/stage-options';
import {
  rejectPartitions,
  submitResult,
  submitSimulatedEnd,
} from '@cuzk/service-kit/record/changes';
import { problemOf } from '@cuzk/service-kit/record/problem';
import type { Change, FinalizeClaim } from '@cuzk/service-kit/record/types';
import { setSpanError } from '@cuzk/service-kit/telemetry/trace-context';
import type { Verifier } from '@cuzk/service-kit/threads/open-verifier';
import { mendFromC1 } from './mend-from-c1.ts';
import type { SynthThreads } from './threads/open-synth-threads.ts';

/** Failures of one partition's proofs before the whole proof fails. */
const MAX_REJECTIONS = 3;
/** How long a worker whose proof did not verify stands back from that partition. */
const EXCLUDE_MS = 60 * 60_000;

/**
 * Puts the partition proofs together, verifies the whole with the verifying key of this machine, and only then
 * makes it the result. Proofs that do not verify go back alone.
 */
export async function finalize(
  service: Service,
  { verifier, threads }: { readonly verifier: Verifier; readonly threads: SynthThreads },
  settings: ParameterSettings & { readonly ALLOW_SIMULATED_PROVER: string },
  claim: FinalizeClaim,
  { signal, logger, span }: StageContext,
): Promise<Change> {
  const { redis, artifacts, metrics } = service;
  const { fence, sectorBytes, parameters } = claim;
  if (parameters === 'simulated') {
    if (isOn(settings.ALLOW_SIMULATED_PROVER)) return submitSimulatedEnd(redis, fence);
    throw simulatedProof();
  }
  const publicInputs = await mendFromC1(service, threads, claim, claim.publicInputs, {
    signal,
    pick: (partitions) => Buffer.concat(partitions.map((partition) => partition.publicInputs)),
    use: () => artifacts.get(claim.publicInputs),
  });
  const proofs = Buffer.concat(claim.partitions.map(({ proof }) => proof));
  const verdict = await verifier.run(
    {
      task: 'partitions',
      folders: paramsFoldersOf(settings),
      sectorBytes,
      parameters,
      publicInputs,
      proofs,
    },
    { signal },
  );
  if (!verdict.verified) {
    metrics.count('cuzk_self_check_failures', { stage: 'finalize' });
    const partitions = verdict.badPartitions;
    const provers = partitions.map((k) => claim.partitions[k]?.prover);
    logger.error({ partitions, provers }, 'partition proofs do not verify');
    if (partitions.length === 0) {
      throw new CuzkError(
        'PROOF_SELF_CHECK_FAILED',
        'The batch fails and every single proof holds.',
      );
    }
    const problem = problemOf(
      new CuzkError('PROOF_SELF_CHECK_FAILED', 'A partition proof does not verify.', {
        expected: 'a proof that holds for the public inputs',
        found: `partition ${partitions.join(', ')} made by ${provers.join(', ')}`,
        action: 'The partition is proved again; a worker that repeats it is faulty.',
      }),
    );
    setSpanError(span, problem);
    const rejection = { partitions, problem, maxFailures: MAX_REJECTIONS, excludeMs: EXCLUDE_MS };
    return rejectPartitions(redis, fence, rejection);
  }
  const result = await artifacts.put(resultRef(fence), proofs);
  const change = await submitResult(redis, fence, result, verdict.parameters);
  if (!change.accepted) await artifacts.delete(result.ref);
  return change;
}

const simulatedProof = (): CuzkError =>
  new CuzkError('PROOF_SIMULATED', 'A partition was proved by a simulated prover.', {
    expected: 'proofs of a device',
    found: 'a gpu-worker with PROVER=simulated in this fleet',
    action: 'Stop it, and submit the C1 again.',
  });
