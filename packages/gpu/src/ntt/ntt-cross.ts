import { FR_BYTES } from '@cuzk/core/field/fr';
import { type Binding, groupsFor } from '../device/commands.ts';
import type { GpuContext } from '../device/context.ts';
import type { Kernel } from '../device/kernel.ts';
import type { PacedCommands } from '../device/paced-commands.ts';
import type { FrVector } from '../field/fr-vector.ts';
import type { Direction, NttPlan } from './ntt-plan.ts';
import { createFourthRoots, type PowerTable } from './ntt-tables.ts';

const WORKGROUP = 64;

/** The outer levels of a transform over several segments. Nothing to do where one segment holds the vector. */
export interface CrossLevels {
  dif(paced: PacedCommands, vector: FrVector, direction: Direction): Promise<void>;
  dit(paced: PacedCommands, vector: FrVector, direction: Direction): Promise<void>;
}

/** Kernels of the cross steps of a plan. */
export async function openCrossLevels(
  context: GpuContext,
  plan: NttPlan,
  roots: PowerTable,
): Promise<CrossLevels> {
  const nothing = async (): Promise<void> => {};
  if (plan.crossBlocks.length === 0) return { dif: nothing, dit: nothing };
  const kernel = (dit: boolean): Promise<Kernel> =>
    context.kernels.get({
      file: 'ntt/cross.wgsl',
      bindings: 'wwwwrru',
      workgroupSize: WORKGROUP,
      constants: { DIT: { type: 'bool', value: dit ? 1 : 0 } },
    });
  const [difKernel, ditKernel] = await Promise.all([kernel(false), kernel(true)]);
  const fourthRoots = createFourthRoots(context);
  const step = async (
    paced: PacedCommands,
    vector: FrVector,
    direction: Direction,
    use: Kernel,
    logBlock: number,
  ): Promise<void> => {
    for (const { start, count, bindings } of quarterChunks(vector, logBlock)) {
      paced.commands.dispatch(
        use,
        [...bindings, roots.low, roots.high],
        groupsFor(count, WORKGROUP),
        [
          count,
          start,
          logBlock,
          plan.logN,
          roots.lowBits,
          direction === 'inverse' ? 1 : 0,
          0,
          0,
          ...fourthRoots[direction],
        ],
      );
      await paced.spend(8 * count);
    }
  };
  return {
    dif: async (paced, vector, direction) => {
      for (const log of plan.crossBlocks) await step(paced, vector, direction, difKernel, log);
    },
    dit: async (paced, vector, direction) => {
      for (const log of plan.crossBlocks.toReversed()) {
        await step(paced, vector, direction, ditKernel, log);
      }
    },
  };
}

/** For every block of 2^logBlock elements the parts of its quarters that each lie in one segment. */
function* quarterChunks(
  vector: FrVector,
  logBlock: number,
): Generator<{ start: number; count: number; bindings: Binding[] }> {
  const quarter = 2 ** (logBlock - 2);
  const count = Math.min(quarter, vector.segmentLength);
  for (let block = 0; block < vector.length; block += 4 * quarter) {
    for (let start = 0; start < quarter; start += count) {
      const bindings = [0, 1, 2, 3].map((k): Binding => {
        const at = block + k * quarter + start;
        const index = Math.floor(at / vector.segmentLength);
        return {
          buffer: vector.segments[index],
          offset: (at - index * vector.segmentLength) * FR_BYTES,
          size: count * FR_BYTES,
        };
      });
      yield { start, count, bindings };
    }
  }
}
