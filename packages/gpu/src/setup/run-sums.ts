import { groupsFor } from '../device/commands.ts';
import type { GpuContext } from '../device/context.ts';
import type { Kernel } from '../device/kernel.ts';
import type { PacedCommands } from '../device/paced-commands.ts';
import { uploadWords } from '../device/upload-words.ts';

const WORKGROUP = 64;
const RUN_WORDS = 3;

/** Consecutive elements of a buffer whose sum goes to one element of another. */
export interface Run {
  readonly first: number;
  readonly count: number;
  readonly target: number;
}

/** Runs on the device. */
export interface DeviceRuns {
  readonly count: number;
  readonly buffer: GPUBuffer;
}

/** Uploads runs with different targets; the buffer is the caller's to drop. */
export function uploadRuns(context: GpuContext, runs: readonly Run[]): DeviceRuns {
  const words = new Uint32Array(RUN_WORDS * runs.length);
  runs.forEach(({ first, count, target }, i) => {
    words.set([first, count, target], RUN_WORDS * i);
  });
  return { count: runs.length, buffer: uploadWords(context, 'shape', words, 'runs') };
}

export const runSumsKernel = (context: Pick<GpuContext, 'kernels'>): Promise<Kernel> =>
  context.kernels.get({ file: 'setup/run-sums.wgsl', bindings: 'rrwu', workgroupSize: WORKGROUP });

/** Adds the sum of each run to its target, where that is among the elements that `out` holds. */
export async function recordRunSums(
  kernel: Kernel,
  paced: PacedCommands,
  values: GPUBuffer,
  runs: DeviceRuns,
  out: { readonly buffer: GPUBuffer; readonly first: number; readonly count: number },
): Promise<void> {
  paced.commands.dispatch(
    kernel,
    [values, runs.buffer, out.buffer],
    groupsFor(runs.count, WORKGROUP),
    [runs.count, out.first, out.count],
  );
  await paced.spend(runs.count);
}
