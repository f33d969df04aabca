import { groupsFor } from '../device/commands.ts';
import type { GpuContext } from '../device/context.ts';
import type { Kernel } from '../device/kernel.ts';
import type { NttPlan } from './ntt-plan.ts';
import { quarterChunks } from './ntt-quarters.ts';
import { type NttStep, type StepUse, stepSwitches } from './ntt-step.ts';
import type { PowerTable } from './ntt-tables.ts';
import { transformKernel } from './transform-field.ts';

const WORKGROUP = 64;

/** The outer levels of a transform over several segments, two at a time. None where the plan has no cross blocks. */
export function openCrossSteps(
  context: GpuContext,
  plan: NttPlan,
  roots: PowerTable,
): readonly NttStep[] {
  const kernelOf = (use: StepUse): Promise<Kernel> =>
    transformKernel(
      context,
      { file: 'ntt/cross.wgsl', bindings: 'wwwwrru', workgroupSize: WORKGROUP },
      {},
      { DIT: use.dit, ...stepSwitches(use) },
    );
  return plan.crossBlocks.map((logBlock) => ({
    prepare: async (_paced, use) => {
      await kernelOf(use);
    },
    record: async (paced, vector, use) => {
      const kernel = await kernelOf(use);
      for (const { start, count, bindings } of quarterChunks(vector, logBlock)) {
        paced.commands.dispatch(
          kernel,
          [...bindings, roots.low, roots.high],
          groupsFor(count, WORKGROUP),
          [count, start, logBlock, roots.logN, roots.lowBits],
        );
        await paced.spend(6 * count);
      }
    },
  }));
}
