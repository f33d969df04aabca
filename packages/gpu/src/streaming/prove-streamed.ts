import { CuzkError } from '@cuzk/core/errors';
import { addH, type Blinding, blindQueries, type QuerySums } from '@cuzk/core/groth16/assemble';
import type { CompactWitness } from '@cuzk/core/r1cs/compact-witness';
import type { GpuContext } from '../device/context.ts';
import { runTogether } from '../device/run-together.ts';
import { giveFrVector } from '../field/fr-vector.ts';
import {
  checkWitness,
  isFiniteG1,
  isFiniteG2,
  type PartitionProof,
  requireInSubgroup,
  type UploadedPartition,
  uploadPartition,
} from '../prover/prover.ts';
import { type PhaseRecorder, type ProvingPhase, recordPhases } from '../prover/proving-phases.ts';
import { submitStreamedH } from './stream-h.ts';
import { workingBytes } from './stream-plan.ts';
import { streamQueries } from './stream-queries.ts';
import { orderOfH, type StreamedCircuit } from './streamed-circuit.ts';

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
 * all of them, then comes h, one partition after another. A partition that fails does not fail the others: the result
 * is settled for each. Equal to provePartition's proofs, bit by bit. Rejects with PARAMS_MALFORMED, CANCELLED; a
 * partition's own errors are WITNESS_MALFORMED, WITNESS_UNSATISFIED, PROOF_SELF_CHECK_FAILED.
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
  const recorder = watched(recordPhases(context, options.nowMs ?? Date.now), options.onPhase);
  const { signal } = options;
  try {
    const results = await settleEach(waiting, async ({ witness }) => {
      const there = 'close' in witness ? witness : uploadPartition(context, circuit, witness);
      uploaded.push(there);
      return there;
    });
    options.onUploaded?.();
    const good = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
    // the checks need little, and go on while the first points come
    const { sums, checks } = await runTogether<{
      sums: Omit<QuerySums, 'h'>[];
      checks: PromiseSettledResult<void>[];
    }>(
      {
        checks: (stop) =>
          settleEach(options.checkWitness ? good : [], ({ witness }) =>
            checkWitness({ context, circuit, witness, recorder }, stop),
          ),
        sums: (stop) =>
          recorder.run('cuzk.gpu.stream', ['stream'], () =>
            streamQueries(
              context,
              circuit.queries,
              circuit.shape.aux,
              good.map(({ witness }) => witness),
              { phase: 'stream', signal: stop },
            ),
          ),
      },
      { sideBySide: !context.traits.software, signal },
    );
    const shared = await recorder.finish();
    // what is taken from now on is of few sizes, and stays until the last proof
    context.buffers.trim();
    const proveEach = (): Promise<PromiseSettledResult<PartitionProof>[]> =>
      settleEach(waiting, async ({ blinding }, k, next) => {
        const result = results[k];
        if (result.status === 'rejected') throw result.reason;
        const index = good.indexOf(result.value);
        const check = checks[index];
        if (check?.status === 'rejected') throw check.reason;
        // the first one may still destroy memory to make room, which comes back when the device is done with it
        const onSubmitted = circuit.plan.reuse && k > 0 ? next : undefined;
        const own = { context, circuit, options, shared, onSubmitted };
        return proveOne(own, result.value, sums[index], blinding);
      });
    const bound = { limitBytes: Number.POSITIVE_INFINITY, reuseLarger: circuit.plan.reuse };
    return await context.buffers.within(bound, proveEach);
  } finally {
    for (const { close } of uploaded) close();
    context.buffers.trim();
  }
}

/** The part of a proof that is one partition's alone: h, and putting it together. */
async function proveOne(
  {
    context,
    circuit,
    options,
    shared,
    onSubmitted,
  }: {
    readonly context: GpuContext;
    readonly circuit: StreamedCircuit;
    readonly options: ProveStreamedOptions;
    readonly shared: readonly ProvingPhase[];
    /** Called when the device has all its work: that of another partition may follow. Without it nothing overlaps. */
    readonly onSubmitted: (() => void) | undefined;
  },
  { witness }: UploadedPartition,
  others: Omit<QuerySums, 'h'>,
  blinding: Blinding,
): Promise<PartitionProof> {
  const recorder = watched(recordPhases(context, options.nowMs ?? Date.now), options.onPhase);
  const signal = options.signal;
  const total = 'cuzk.gpu.total';
  const { proof, h } = await recorder.run(total, [], async () => {
    const { h: coefficients, checked } = await recorder.run(
      'cuzk.gpu.quotient',
      ['r1cs_eval', 'ntt'],
      () =>
        circuit.quotient.compute(circuit.deviceShape, witness, {
          signal,
          order: orderOfH(circuit),
        }),
      total,
    );
    const submitSums = async () => {
      try {
        // the device has its work meanwhile
        const blinded = blindQueries(circuit.vk, others, blinding);
        requireInSubgroup(isFiniteG1(blinded.a) && isFiniteG2(blinded.b));
        if (onSubmitted === undefined) await checked;
        const run = { phase: 'msm_h', ...(signal && { signal }) };
        return { blinded, sum: await submitStreamedH(context, circuit, coefficients, run) };
      } finally {
        giveFrVector(context, coefficients);
      }
    };
    const { blinded, sum } = await recorder.run(
      'cuzk.gpu.msm_h',
      ['msm_h'],
      async () => {
        const submitted = await submitSums();
        onSubmitted?.();
        return { blinded: submitted.blinded, sum: await submitted.sum.result };
      },
      total,
    );
    await checked;
    const made = addH(blinded, sum);
    requireInSubgroup(isFiniteG1(made.c));
    return { proof: made, h: sum };
  });
  return { proof, sums: { ...others, h }, phases: [...shared, ...(await recorder.finish())] };
}

function watched(recorder: PhaseRecorder, onPhase: ProveStreamedOptions['onPhase']): PhaseRecorder {
  return {
    run: (name, labels, work, parent) => {
      onPhase?.(name);
      return recorder.run(name, labels, work, parent);
    },
    finish: () => recorder.finish(),
  };
}

const ENDS_ALL: readonly string[] = ['CANCELLED', 'PARAMS_MALFORMED'];

const endsAll = (error: unknown): boolean =>
  !(error instanceof CuzkError) || ENDS_ALL.includes(error.code);

/**
 * One after another, or the next as soon as `work` calls `next`; a cancel or a file that is not as it should be ends
 * all, and is thrown once none is running any more.
 */
async function settleEach<T, R>(
  items: readonly T[],
  work: (item: T, index: number, next: () => void) => Promise<R>,
): Promise<PromiseSettledResult<R>[]> {
  const running: Promise<PromiseSettledResult<R>>[] = [];
  const failures: unknown[] = [];
  for (const [index, item] of items.entries()) {
    await new Promise<void>((next) => {
      const one = settled(work(item, index, next)).then((result) => {
        if (result.status === 'rejected' && endsAll(result.reason)) failures.push(result.reason);
        next();
        return result;
      });
      running.push(one);
    });
    if (failures.length > 0) break;
  }
  const results = await Promise.all(running);
  if (failures.length > 0) throw failures[0];
  return results;
}

const settled = async <R>(work: Promise<R>): Promise<PromiseSettledResult<R>> => {
  const [result] = await Promise.allSettled([work]);
  return result;
};
