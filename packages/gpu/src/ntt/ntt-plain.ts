import { groupsFor } from '../device/commands.ts';
import type { GpuContext } from '../device/context.ts';
import type { Kernel } from '../device/kernel.ts';
import type { PacedCommands } from '../device/paced-commands.ts';
import { type FrVector, segmentRanges } from '../field/fr-vector.ts';
import type { BlockLevels } from './ntt-levels.ts';
import type { Direction, NttPlan } from './ntt-plan.ts';
import type { Scaling } from './ntt-scale.ts';
import { createFourthRoots, expandRoots, type PowerTable } from './ntt-tables.ts';

const WORKGROUP = 64;

/**
 * The plain form: one dispatch per two levels, global memory only. The fastest one on software adapters, and the
 * only one for small transforms.
 */
export async function openPlainBlocks(
  context: GpuContext,
  plan: NttPlan,
  roots: PowerTable,
  tables: PacedCommands,
  scaling: Scaling,
): Promise<BlockLevels> {
  const { logBlock } = plan;
  const radix4 = (dit: boolean): Promise<Kernel> =>
    context.kernels.get({
      file: 'ntt/plain.wgsl',
      bindings: 'wru',
      workgroupSize: WORKGROUP,
      constants: { DIT: { type: 'bool', value: dit ? 1 : 0 } },
    });
  const [difKernel, ditKernel, radix2] = await Promise.all([
    radix4(false),
    radix4(true),
    context.kernels.get({ file: 'ntt/radix2.wgsl', bindings: 'wu', workgroupSize: WORKGROUP }),
  ]);
  const fourthRoots = createFourthRoots(context);
  const halfRoots = await expandRoots(context, tables, roots, logBlock, 2 ** (logBlock - 1));
  // quarters of the radix-4 levels, outermost first; an odd number of levels leaves the innermost one to radix 2
  const quarterLogs: number[] = [];
  for (let log = logBlock - 2; log >= 0; log -= 2) quarterLogs.push(log);

  const level = async (
    paced: PacedCommands,
    vector: FrVector,
    direction: Direction,
    kernel: Kernel,
    quarterLog: number,
  ): Promise<void> => {
    for (const part of segmentRanges(vector)) {
      const count = part.count / 4;
      paced.commands.dispatch(kernel, [part.segment, halfRoots], groupsFor(count, WORKGROUP), [
        quarterLog,
        logBlock,
        direction === 'inverse' ? 1 : 0,
        count,
        ...fourthRoots[direction],
      ]);
      await paced.spend(part.count);
    }
  };
  const innermost = async (paced: PacedCommands, vector: FrVector): Promise<void> => {
    if (logBlock % 2 === 0) return;
    for (const part of segmentRanges(vector)) {
      const pairs = part.count / 2;
      paced.commands.dispatch(radix2, [part.segment], groupsFor(pairs, WORKGROUP), [
        pairs,
        0,
        0,
        0,
      ]);
      await paced.spend(part.count / 4);
    }
  };
  return {
    dif: async (paced, vector, direction) => {
      for (const log of quarterLogs) await level(paced, vector, direction, difKernel, log);
      await innermost(paced, vector);
    },
    dit: async (paced, vector, direction, factors) => {
      if (factors !== undefined) await scaling.scale(paced, vector, 'bit-reversed', factors);
      await innermost(paced, vector);
      for (const log of quarterLogs.toReversed()) {
        await level(paced, vector, direction, ditKernel, log);
      }
    },
    close: () => {
      context.buffers.drop(halfRoots);
    },
  };
}
