import type { ToxicWaste } from '@cuzk/core/groth16/key-exponents';
import type { CircuitShape } from '@cuzk/core/r1cs/shape';
import type { GpuContext } from '../device/context.ts';
import { makeParams, type SetupOptions } from './setup.ts';

/** The bytes of a `.params` and of a `.vk` file. */
export interface Parameters {
  readonly params: Uint8Array;
  readonly vk: Uint8Array;
}

/** Both files of makeParams, which see, in memory: for circuits that are small enough. */
export async function makeParamsInMemory(
  context: GpuContext,
  shape: CircuitShape,
  waste: ToxicWaste,
  options: SetupOptions = {},
): Promise<Parameters> {
  const pieces: Uint8Array[] = [];
  const write = async (bytes: Uint8Array): Promise<void> => {
    pieces.push(bytes.slice());
  };
  const vk = await makeParams(context, shape, waste, write, options);
  const params = new Uint8Array(pieces.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const piece of pieces) {
    params.set(piece, at);
    at += piece.length;
  }
  return { params, vk };
}
