import type { Blinding, QuerySums } from '@cuzk/core/groth16/assemble';
import type { CompactWitness } from '@cuzk/core/r1cs/compact-witness';
import type { CurveRun } from '../curve/curve-commands.ts';
import type { GpuContext } from '../device/context.ts';
import { runBeside, runTogether } from '../device/run-together.ts';
import type { PhaseSeconds } from '../device/timing.ts';
import {
  checkWitness,
  type PartitionProof,
  type UploadedPartition,
  uploadPartition,
} from '../prover/prover.ts';
import { type PhaseRecorder, recordPhases } from '../prover/proving-phases.ts';
import { type BesideH, passAlone, passBeside } from './query-pass.ts';
import { settleEach } from './settle-each.ts';
import { reuseOf } from './stream-memory.ts';
import { besideStream, workingBytes } from './stream-plan.ts';
import { streamQueries } from './stream-queries.ts';
import type { StreamedCircuit } from './streamed-circuit.ts';
import { proveStreamedPartition } from './streamed-partition.ts';

/** A partition that waits for its proof. */
export interface WaitingPartition {
  readonly witness: CompactWitness | UploadedPartition;
  readonly blinding: Blinding;
}

export interface ProveStreamedOptions {
  readonly signal?: AbortSignal;
  /** Compare every row with C·w first. */
  readonly checkWitness: boolean;
  /** All witnesses are on the device: their host memory and files may go. */
  readonly onUploaded?: () => void;
  /** Called at the start of each phase, for progress. */
  readonly onPhase?: (name: string) => void;
  /** Unix time in ms; defaults to the host's clock. */
  readonly nowMs?: () => number;
}

/**
 * Proofs of waiting partitions of a circuit that is streamed, plan.waiting of them at most: the queries pass once for
 * all of them, then comes h, one partition after another; where few wait, h comes while the queries pass (plan.beside).
 * A partition that fails does not fail the others: the result is settled for each. Equal to provePartition's proofs,
 * bit by bit. Rejects with PARAMS_MALFORMED, CANCELLED; a partition's own errors are WITNESS_MALFORMED,
 * WITNESS_UNSATISFIED, PROOF_SELF_CHECK_FAILED.
 */
export async function proveStreamed(
  context: GpuContext,
  circuit: StreamedCircuit,
  waiting: readonly WaitingPartition[],
  options: ProveStreamedOptions,
): Promise<PromiseSettledResult<PartitionProof>[]> {
  if (waiting.length > circuit.plan.waiting) {
    throw new RangeError(
      `waiting: expected at most ${circuit.plan.waiting}, got ${waiting.length}`,
    );
  }
  const { buffers, traits } = context;
  const { srs, shape } = buffers.bytesInUse;
  const limitBytes = srs + shape + workingBytes(circuit.plan, traits);
  return buffers.within({ limitBytes, reuseLarger: false }, () =>
    proveWaiting(context, circuit, waiting, options),
  );
}

async function proveWaiting(
  context: GpuContext,
  circuit: StreamedCircuit,
  waiting: readonly WaitingPartition[],
  options: ProveStreamedOptions,
): Promise<PromiseSettledResult<PartitionProof>[]> {
  await context.timer.collect();
  const uploaded: UploadedPartition[] = [];
  try {
    const results = await settleEach(waiting, async ({ witness }) => {
      const there = 'close' in witness ? witness : await uploadPartition(context, circuit, witness);
      uploaded.push(there);
      return there;
    });
    options.onUploaded?.();
    return await proveUploaded(context, circuit, waiting, results, options);
  } finally {
    for (const { close } of uploaded) close();
  }
}

/** What partitions share: their rows are checked and the queries pass. */
interface PassedQueries {
  readonly sums: readonly Omit<QuerySums, 'h'>[];
  readonly checks: readonly PromiseSettledResult<void>[];
}

/** What the queries pass and the proofs share. */
interface Pass {
  /** Set where h comes while the queries pass. */
  readonly beside: BesideH | undefined;
  /** Of what partitions share. */
  readonly recorder: PhaseRecorder;
  readonly options: ProveStreamedOptions;
}

async function proveUploaded(
  context: GpuContext,
  circuit: StreamedCircuit,
  waiting: readonly WaitingPartition[],
  results: readonly PromiseSettledResult<UploadedPartition>[],
  options: ProveStreamedOptions,
): Promise<PromiseSettledResult<PartitionProof>[]> {
  const beside = circuit.plan.beside[waiting.length - 1];
  const pass: Pass = { beside, recorder: recordWatched(context, options), options };
  const good = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
  const queries = (signal: AbortSignal) => passQueries(context, circuit, good, pass, signal);
  const proofs = (passed: Promise<PassedQueries>, signal: AbortSignal) =>
    proveEach(context, circuit, waiting, results, { ...pass, good, passed, signal });
  if (beside !== undefined) return runBeside(queries, proofs, options);
  const signal = options.signal ?? new AbortController().signal;
  const passed = queries(signal);
  await passed;
  // what is taken from now on is of few sizes, and stays until the last proof
  context.buffers.trim();
  return proofs(passed, signal);
}

/** What is one partition's alone, one after another; it asks for the query sums when it needs them. */
function proveEach(
  context: GpuContext,
  circuit: StreamedCircuit,
  waiting: readonly WaitingPartition[],
  results: readonly PromiseSettledResult<UploadedPartition>[],
  {
    good,
    passed,
    beside,
    recorder,
    signal,
    options,
  }: Pass & {
    /** The partitions that the queries pass for, in the order of their sums. */
    readonly good: readonly UploadedPartition[];
    readonly passed: Promise<PassedQueries>;
    readonly signal: AbortSignal;
  },
): Promise<PromiseSettledResult<PartitionProof>[]> {
  const { plan } = circuit;
  const shared = ofFirstCall((totals: readonly PhaseSeconds[]) => recorder.finish(totals));
  const bound = {
    limitBytes: Number.POSITIVE_INFINITY,
    reuseLarger: plan.reuse && reuseOf(beside !== undefined),
  };
  return context.buffers.within(bound, () =>
    settleEach(waiting, async ({ blinding }, k, next) => {
      const result = results[k];
      if (result.status === 'rejected') throw result.reason;
      const others = () => sumsOf(passed, good.indexOf(result.value));
      if (beside === undefined) await others();
      // where memory is destroyed to make room it comes back when the device is done with it
      const overlaps = beside === undefined && plan.reuse && k > 0;
      const own = {
        ...{ context, circuit, signal, others, beside, shared },
        recorder: recordWatched(context, options),
        onSubmitted: overlaps ? next : undefined,
      };
      return proveStreamedPartition(own, result.value, blinding);
    }),
  );
}

/** The query sums of one partition. Throws its own error where its rows did not hold. */
async function sumsOf(
  passed: Promise<PassedQueries>,
  index: number,
): Promise<Omit<QuerySums, 'h'>> {
  const { sums, checks } = await passed;
  const check = checks[index];
  if (check?.status === 'rejected') throw check.reason;
  return sums[index];
}

/** As `work`, which is done for the first call alone: later ones have its result. */
function ofFirstCall<A, R>(work: (argument: A) => R): (argument: A) => R {
  let done: { readonly result: R } | undefined;
  return (argument) => {
    done ??= { result: work(argument) };
    return done.result;
  };
}

/** The checks need little, and go on while the first points come. */
function passQueries(
  context: GpuContext,
  circuit: StreamedCircuit,
  partitions: readonly UploadedPartition[],
  { beside, recorder, options }: Pass,
  signal: AbortSignal,
): Promise<PassedQueries> {
  const { traits } = context;
  const { plan, queries, shape } = circuit;
  const witnesses = partitions.map(({ witness }) => witness);
  const pass = beside === undefined ? passAlone(traits, plan) : passBeside(beside);
  const run = (stop: AbortSignal): CurveRun => {
    const alone = { phase: 'stream', signal: stop };
    return beside === undefined ? alone : besideStream(traits, alone);
  };
  return runTogether<{
    sums: Omit<QuerySums, 'h'>[];
    checks: PromiseSettledResult<void>[];
  }>(
    {
      checks: (stop) =>
        settleEach(options.checkWitness ? witnesses : [], (witness) =>
          checkWitness({ context, circuit, witness, recorder }, stop),
        ),
      sums: (stop) =>
        recorder.run('cuzk.gpu.stream', ['stream'], () =>
          streamQueries(context, queries, { witnesses, bits: shape.aux, pass }, run(stop)),
        ),
    },
    { sideBySide: !traits.software, signal },
  );
}

/** Phases as they are recorded, each told to `onPhase` when it starts. */
function recordWatched(
  context: GpuContext,
  { nowMs = Date.now, onPhase }: ProveStreamedOptions,
): PhaseRecorder {
  const recorder = recordPhases(context, nowMs);
  return {
    ...recorder,
    run: (name, labels, work, parent) => {
      onPhase?.(name);
      return recorder.run(name, labels, work, parent);
    },
  };
}
