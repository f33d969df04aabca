import {
  addH,
  type Blinding,
  blindQueries,
  type ProofWithoutH,
  type QuerySums,
} from '@cuzk/core/groth16/assemble';
import type { CurveRun } from '../curve/curve-commands.ts';
import type { GpuContext } from '../device/context.ts';
import type { PhaseSeconds } from '../device/timing.ts';
import { giveFrVector } from '../field/fr-vector.ts';
import {
  isFiniteG1,
  isFiniteG2,
  type PartitionProof,
  requireInSubgroup,
  type UploadedPartition,
} from '../prover/prover.ts';
import type { PhaseRecorder, ProvingPhase } from '../prover/proving-phases.ts';
import type { BesideH } from './query-pass.ts';
import { submitStreamedH } from './stream-h.ts';
import { besideStream } from './stream-plan.ts';
import { orderOfH, type StreamedCircuit } from './streamed-circuit.ts';

/**
 * The part of a proof that is one partition's alone: h, and putting it together. Throws CuzkError CANCELLED,
 * PROOF_SELF_CHECK_FAILED, and what `others` throws.
 */
export async function proveStreamedPartition(
  {
    context,
    circuit,
    recorder,
    signal,
    others,
    beside,
    shared,
    onSubmitted,
  }: {
    readonly context: GpuContext;
    readonly circuit: StreamedCircuit;
    readonly recorder: PhaseRecorder;
    readonly signal: AbortSignal;
    /** The query sums, once they are there. */
    readonly others: () => Promise<Omit<QuerySums, 'h'>>;
    /** Set where queries pass meanwhile. */
    readonly beside: BesideH | undefined;
    /** Phases of what partitions share; device times are those of the one that ends first. */
    readonly shared: (totals: readonly PhaseSeconds[]) => Promise<readonly ProvingPhase[]>;
    /** Called when the device has all its work: that of another partition may follow. Without it nothing overlaps. */
    readonly onSubmitted: (() => void) | undefined;
  },
  { witness }: UploadedPartition,
  blinding: Blinding,
): Promise<PartitionProof> {
  const total = 'cuzk.gpu.total';
  const alone: CurveRun = { phase: 'msm_h', signal };
  const run = beside === undefined ? alone : besideStream(context.traits, alone);
  const proved = await recorder.run(total, [], async () => {
    const { h: coefficients, checked } = await recorder.run(
      'cuzk.gpu.quotient',
      ['r1cs_eval', 'ntt'],
      () =>
        circuit.quotient.compute(circuit.deviceShape, witness, {
          ...{ signal, budget: run.budget },
          order: orderOfH(circuit),
        }),
      total,
    );
    // the device has its work meanwhile
    const blinded = others().then((sums) => ({
      sums,
      proof: blindOthers(circuit, sums, blinding),
    }));
    // its error comes when it is asked for
    blinded.catch(() => {});
    const submitSum = async () => {
      try {
        if (onSubmitted === undefined) await checked;
        const { msmEntries } = beside ?? circuit.plan;
        return await submitStreamedH(context, circuit, coefficients, { ...run, msmEntries });
      } finally {
        giveFrVector(context, coefficients);
      }
    };
    const h = await recorder.run(
      'cuzk.gpu.msm_h',
      ['msm_h'],
      async () => {
        const { result } = await submitSum();
        onSubmitted?.();
        return result;
      },
      total,
    );
    await checked;
    const { sums, proof: withoutH } = await blinded;
    const proof = addH(withoutH, h);
    requireInSubgroup(isFiniteG1(proof.c));
    return { proof, sums: { ...sums, h } };
  });
  const totals = await context.timer.collect();
  return { ...proved, phases: [...(await shared(totals)), ...(await recorder.finish(totals))] };
}

function blindOthers(
  { vk }: StreamedCircuit,
  sums: Omit<QuerySums, 'h'>,
  blinding: Blinding,
): ProofWithoutH {
  const blinded = blindQueries(vk, sums, blinding);
  requireInSubgroup(isFiniteG1(blinded.a) && isFiniteG2(blinded.b));
  return blinded;
}
