import { groupsFor } from '../device/commands.ts';
import type { GpuContext } from '../device/context.ts';
import type { PacedCommands } from '../device/paced-commands.ts';
import { type FrVector, segmentRanges } from '../field/fr-vector.ts';
import type { PowerTable } from './ntt-tables.ts';

const WORKGROUP = 64;

export interface Scaling {
  /** Multiplies index i of the vector by power i of the table; positions are in the given order. */
  scale(
    paced: PacedCommands,
    vector: FrVector,
    order: 'natural' | 'bit-reversed',
    factors: PowerTable,
  ): Promise<void>;
}

/** Kernels that multiply a vector by powers, one pass over memory. */
export async function openScaling(context: GpuContext): Promise<Scaling> {
  const kernel = (reversed: boolean) =>
    context.kernels.get({
      file: 'ntt/scale.wgsl',
      bindings: 'wrru',
      workgroupSize: WORKGROUP,
      constants: { REVERSED: { type: 'bool', value: reversed ? 1 : 0 } },
    });
  const [natural, reversed] = await Promise.all([kernel(false), kernel(true)]);
  return {
    scale: async (paced, vector, order, factors) => {
      if (2 ** factors.logN < vector.length) {
        throw new RangeError(`2^${factors.logN} powers do not cover ${vector.length} elements`);
      }
      for (const part of segmentRanges(vector)) {
        paced.commands.dispatch(
          order === 'natural' ? natural : reversed,
          [part.segment, factors.low, factors.high],
          groupsFor(part.count, WORKGROUP),
          [part.count, part.first, Math.log2(vector.length), factors.lowBits],
        );
        await paced.spend(2 * part.count);
      }
    },
  };
}
