import { FR_BYTES } from '@cuzk/core/field/fr';
import type { PacedCommands } from '../curve/curve-commands.ts';
import { groupsFor } from '../device/commands.ts';
import type { GpuContext } from '../device/context.ts';
import type { Kernel } from '../device/kernel.ts';

const WORKGROUP = 64;
const KEY_WORDS = 8;

/** A source of scalars that nobody can foresee. */
export interface RandomScalars {
  /** Records the filling of `target` with the next `count` scalars, uniform below 2^254. */
  fill(commands: PacedCommands, target: GPUBuffer, count: number): void;
}

/** Bytes of a buffer for `count` scalars: they are made in pairs. */
export const randomScalarBytes = (count: number): number => 2 * Math.ceil(count / 2) * FR_BYTES;

/** ChaCha8 on the device (kernels/msm/random-scalars.wgsl); `key` has 32 bytes and is fresh for every use. */
export async function openRandomScalars(
  context: GpuContext,
  key: Uint8Array = crypto.getRandomValues(new Uint8Array(4 * KEY_WORDS)),
): Promise<RandomScalars> {
  const kernel: Kernel = await context.kernels.get({
    file: 'msm/random-scalars.wgsl',
    bindings: 'wu',
    workgroupSize: WORKGROUP,
  });
  const view = new DataView(key.buffer, key.byteOffset, key.byteLength);
  const words = Array.from({ length: KEY_WORDS }, (_, i) => view.getUint32(4 * i, true));
  let block = 0;
  return {
    fill: (commands, target, count) => {
      const pairs = Math.ceil(count / 2);
      commands.dispatch(kernel, [target], groupsFor(pairs, WORKGROUP), [...words, pairs, block]);
      block += pairs;
    },
  };
}
