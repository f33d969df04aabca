import { CuzkError } from '@cuzk/core/errors';
import type { Blinding } from '@cuzk/core/groth16/assemble';
import type { Proof } from '@cuzk/core/groth16/types';
import type { CompactWitness } from '@cuzk/core/r1cs/compact-witness';
import type { CircuitShape } from '@cuzk/core/r1cs/shape';
import type { GpuContext } from '@cuzk/gpu/device/context';
import { provePartition } from '@cuzk/gpu/prover/prover';
import { loadCircuit } from '@cuzk/gpu/prover/proving-circuit';
import { proveStreamed } from '@cuzk/gpu/streaming/prove-streamed';
import type { StreamPlan } from '@cuzk/gpu/streaming/stream-plan';
import { loadStreamedCircuit } from '@cuzk/gpu/streaming/streamed-circuit';
import { openFileReader } from '@cuzk/service-kit/circuits/file-reader';
import { fitText, freeDeviceBytes, planResidency } from '../residency-plan.ts';

/** A circuit loaded as the memory of the device allows: whole, or with its parameters streamed. */
export interface FittingCircuit {
  /** For people. */
  readonly residency: string;
  readonly paramsBytes: number;
  prove(witness: CompactWitness, blinding: Blinding): Promise<Proof>;
  close(): Promise<void>;
}

export interface FittingOptions {
  readonly gpuMemoryBytes: number | undefined;
  onBytes(what: string): (done: number, total: number) => void;
}

/** Loads a circuit and checks all its points. Throws CuzkError GPU_OUT_OF_MEMORY before it begins, PARAMS_*. */
export async function openFittingCircuit(
  context: GpuContext,
  shape: CircuitShape,
  paramsPath: string,
  options: FittingOptions,
): Promise<FittingCircuit> {
  const residency = requireRoom(shape, context, options.gpuMemoryBytes);
  const reader = await openFileReader(paramsPath);
  const onBytes = options.onBytes('parameters');
  try {
    const opened =
      residency.kind === 'whole'
        ? await openWhole(context, shape, reader, onBytes)
        : await openStreaming(context, shape, reader, residency.plan, onBytes);
    return {
      ...opened,
      residency: fitText(residency),
      paramsBytes: reader.sizeBytes,
      close: async () => {
        opened.release();
        await reader.close();
      },
    };
  } catch (error) {
    await reader.close();
    throw error;
  }
}

/** Throws CuzkError GPU_OUT_OF_MEMORY. */
function requireRoom(shape: CircuitShape, { traits }: GpuContext, given: number | undefined) {
  const budget = given ?? freeDeviceBytes(traits);
  const residency = planResidency(shape, traits, budget);
  if (residency.kind !== 'too small') return residency;
  const { leastBytes } = residency;
  throw new CuzkError('GPU_OUT_OF_MEMORY', `${leastBytes} bytes of device memory are needed`, {
    expected: `${leastBytes} bytes`,
    found: `${budget} bytes`,
    action: 'use a larger device, or free some of its memory',
  });
}

type Reader = Awaited<ReturnType<typeof openFileReader>>;
type Progress = (done: number, total: number) => void;

async function openWhole(
  context: GpuContext,
  shape: CircuitShape,
  reader: Reader,
  onBytes: Progress,
) {
  const circuit = await loadCircuit(context, shape, reader, { onBytes });
  return {
    release: circuit.close,
    prove: async (witness: CompactWitness, blinding: Blinding): Promise<Proof> =>
      (await provePartition(context, circuit, witness, blinding, { checkWitness: true })).proof,
  };
}

async function openStreaming(
  context: GpuContext,
  shape: CircuitShape,
  reader: Reader,
  plan: StreamPlan,
  onBytes: Progress,
) {
  const circuit = await loadStreamedCircuit(context, shape, reader, plan, { onBytes });
  return {
    release: circuit.close,
    prove: async (witness: CompactWitness, blinding: Blinding): Promise<Proof> => {
      const waiting = [{ witness, blinding }];
      const [result] = await proveStreamed(context, circuit, waiting, { checkWitness: true });
      if (result?.status === 'fulfilled') return result.value.proof;
      throw result?.reason;
    },
  };
}
