import type { CircuitShape } from '@cuzk/core/r1cs/shape';
import { deviceCall } from '../device/device-call.ts';
import { makeParamsInMemory, type Parameters } from '../setup/params-in-memory.ts';
import type { Gpu } from './open.ts';
import { randomScalar } from './random-scalar.ts';

export type { Parameters } from '../setup/params-in-memory.ts';

/**
 * Parameters of a circuit from secrets that are drawn here and forgotten. Whoever runs this could have kept them, and
 * could then forge proofs: trust such parameters as far as you trust that party. Throws CuzkError SETUP_FAILED,
 * CANCELLED, GPU_OUT_OF_MEMORY, GPU_DEVICE_LOST.
 */
export async function setup(
  { context }: Gpu,
  shape: CircuitShape,
  options: { readonly signal?: AbortSignal } = {},
): Promise<Parameters> {
  const waste = {
    alpha: randomScalar(),
    beta: randomScalar(),
    gamma: randomScalar(),
    delta: randomScalar(),
    tau: randomScalar(),
  };
  return deviceCall(context, () => makeParamsInMemory(context, shape, waste, options));
}
