import { setTimeout as sleep } from 'node:timers/promises';
import { toHex } from '@cuzk/core/bytes';
import { PROOF_BYTES } from '@cuzk/core/groth16/proof';
import type { Redis } from 'ioredis';
import { isPassingRefusal } from '../redis/passing-refusal.ts';
import { runScript } from '../redis/scripts.ts';
import type {
  ArtifactRef,
  Change,
  Fence,
  ParameterKind,
  PhaseTiming,
  Problem,
  ProofSource,
} from './types.ts';
import { boundedPhases, boundedProblem, changeOf, type WireChange } from './wire.ts';

/** Redis refuses to write for now: memory limit, fail-over, disk. Finished work waits for it this long. */
const REFUSED_MS_MAX = 60_000;
const ASK_AGAIN_MS = 250;

async function change(redis: Redis, script: string, args: object): Promise<Change> {
  const end = performance.now() + REFUSED_MS_MAX;
  for (;;) {
    try {
      return changeOf(await runScript<WireChange>(redis, script, args));
    } catch (error) {
      if (!isPassingRefusal(error) || performance.now() > end) throw error;
      await sleep(ASK_AGAIN_MS);
    }
  }
}

/** What a C1 says about the circuit of all its partitions. */
export interface CircuitFacts {
  readonly circuitId: string;
  readonly sectorBytes: number;
  /** Bytes of one compact witness of this circuit: the weight of a hand-off permit. */
  readonly witnessBytes: number;
}

export interface GoodPartition extends CircuitFacts {
  /** How many the C1 has. */
  readonly partitions: number;
  readonly partition: number;
  readonly input: ArtifactRef;
}

/** Ingest found one partition good and reads on: it may be dispatched, and counts when the verdict is good. */
export function acceptPartition(redis: Redis, fence: Fence, good: GoodPartition): Promise<Change> {
  return change(redis, 'ingest-partition', { fence, ...good });
}

export interface GoodVerdict extends CircuitFacts {
  readonly publicInputs: ArtifactRef;
  /** One partition input per partition, in order; those that were accepted before stay as they are. */
  readonly inputs: readonly ArtifactRef[];
}

/** Ingest found the whole C1 good: what of its partitions was not accepted before waits for dispatch. */
export function acceptC1(redis: Redis, fence: Fence, verdict: GoodVerdict): Promise<Change> {
  if (verdict.inputs.length === 0) throw new RangeError('inputs: expected at least one partition');
  return change(redis, 'ingest-verdict', { fence, ...verdict });
}

/** Ingest found the C1 bad: the run fails with this problem, with all that was begun, and is never retried. */
export function refuseC1(redis: Redis, fence: Fence, problem: Problem): Promise<Change> {
  return change(redis, 'ingest-verdict', { fence, problem: boundedProblem(problem) });
}

/** The witness is in the artifact store; the partition waits for a GPU. */
export function submitWitness(
  redis: Redis,
  fence: Fence,
  witness: ArtifactRef,
  phases: readonly PhaseTiming[],
): Promise<Change> {
  return change(redis, 'synthesized', { fence, witness, phases: boundedPhases(phases) });
}

/** The device has the witness: gives the hand-off permit back while proving goes on. Safe to repeat. */
export function releaseHandoff(redis: Redis, fence: Fence): Promise<Change> {
  return change(redis, 'release-handoff', { fence });
}

export interface PartitionProof {
  /** 192 bytes, verified by the caller. */
  readonly proof: Uint8Array;
  readonly parameters: ProofSource;
  /** Name of the worker (its identity's `name`). */
  readonly worker: string;
  readonly phases: readonly PhaseTiming[];
}

/** A verified partition proof. Throws RangeError when it is not 192 bytes. */
export function submitPartitionProof(
  redis: Redis,
  fence: Fence,
  { proof, parameters, worker, phases }: PartitionProof,
): Promise<Change> {
  if (proof.length !== PROOF_BYTES) {
    throw new RangeError(`proof: expected ${PROOF_BYTES} bytes, got ${proof.length}`);
  }
  const proofHex = toHex(proof);
  const wire = { fence, proofHex, parameters, worker, phases: boundedPhases(phases) };
  return change(redis, 'proved', wire);
}

/** The whole proof is verified and stored: the run succeeds. */
export function submitResult(
  redis: Redis,
  fence: Fence,
  result: ArtifactRef,
  parameters: ParameterKind,
): Promise<Change> {
  return change(redis, 'finalized', { fence, result, parameters });
}

/** The end of a run whose partitions were simulated: it succeeds, marked as such, without a result. */
export function submitSimulatedEnd(redis: Redis, fence: Fence): Promise<Change> {
  return change(redis, 'finalized', { fence, result: null, parameters: 'simulated' });
}

export interface Rejection {
  readonly partitions: readonly number[];
  readonly problem: Problem;
  /** Failures of proving one partition at which the run fails. */
  readonly maxFailures: number;
  /** How long the workers that made them stand back from these partitions. */
  readonly excludeMs: number;
}

/** Finalize found partition proofs that do not verify: they alone are made again, elsewhere if possible. */
export function rejectPartitions(
  redis: Redis,
  fence: Fence,
  rejection: Rejection,
): Promise<Change> {
  const problem = boundedProblem(rejection.problem);
  return change(redis, 'reject-partitions', { fence, ...rejection, problem });
}

export interface Failure {
  readonly problem: Problem;
  /** False: the run fails now. */
  readonly retryable: boolean;
  /** Failures of this stage of this unit at which the run fails. */
  readonly maxFailures: number;
  /** Name of the worker, and for how long it stands back from this partition (0: it may try again). */
  readonly worker: string;
  readonly excludeMs: number;
}

/** Codes that mean the stored witness is at fault: the partition is synthesized again. */
const REMADE = new Set(['ARTIFACT_MISSING', 'ARTIFACT_DIGEST_MISMATCH', 'WITNESS_MALFORMED']);

/** Codes that say that a device may be broken: its worker takes no work until the self-test has passed. */
export const SUSPICIOUS_CODES: ReadonlySet<string> = new Set([
  'PROOF_SELF_CHECK_FAILED',
  'GPU_SELF_TEST_FAILED',
  'GPU_HUNG',
  'GPU_DEVICE_LOST',
]);

/** An attempt failed: it waits again or, when it may not pass or has failed too often, the run fails. */
export function failUnit(redis: Redis, fence: Fence, failure: Failure): Promise<Change> {
  const remake = REMADE.has(failure.problem.code);
  const suspect = SUSPICIOUS_CODES.has(failure.problem.code);
  const problem = boundedProblem(failure.problem);
  return change(redis, 'fail', { fence, ...failure, problem, remake, suspect });
}

/** The owner stops without a failure (drain, or a cancelled run letting go): no attempt is used up. */
export function handBackUnit(redis: Redis, fence: Fence, reason: string): Promise<Change> {
  return change(redis, 'hand-back', { fence, reason });
}
