import type { GpuContext } from '../device/context.ts';
import { type PacedCommands, paceCommands } from '../device/paced-commands.ts';
import { type FrVector, frSegmentLength } from '../field/fr-vector.ts';
import { type CrossLevels, openCrossLevels } from './ntt-cross.ts';
import type { BlockLevels } from './ntt-levels.ts';
import { openPlainBlocks } from './ntt-plain.ts';
import { type Direction, type NttPlan, type NttPlanOptions, planNtt } from './ntt-plan.ts';
import { openScaling, type Scaling } from './ntt-scale.ts';
import { createRootTable, dropPowerTable, type PowerTable } from './ntt-tables.ts';
import { openTiledBlocks } from './ntt-tiled.ts';

/**
 * Transforms of vectors of 2^logN elements in place, plain values in and out. Forward evaluates at powers of the
 * domain's root w, inverse at powers of 1/w; neither divides by n: give that as the factor of a PowerTable.
 * Position p of a vector in bit-reversed order holds index rev(p).
 */
export interface Ntt {
  readonly plan: NttPlan;
  /** Natural to bit-reversed order. */
  dif(paced: PacedCommands, vector: FrVector, direction: Direction): Promise<void>;
  /**
   * Bit-reversed to natural order. With `factors` the input index i is first multiplied by power i of the table: with
   * powers of g this evaluates on the coset g·w^k.
   */
  dit(
    paced: PacedCommands,
    vector: FrVector,
    direction: Direction,
    factors?: PowerTable,
  ): Promise<void>;
  /** Multiplies index i by power i of the table, in either order. */
  scale(
    paced: PacedCommands,
    vector: FrVector,
    order: 'natural' | 'bit-reversed',
    factors: PowerTable,
  ): Promise<void>;
  /** Gives the tables back. Vectors stay with their owner. */
  close(): void;
}

/**
 * Prepares tables and kernels for transforms of 2^logN points (1 ≤ logN ≤ 32) of vectors whose segments have
 * `segmentLength` elements (default: what the device allows).
 */
export async function openNtt(
  context: GpuContext,
  logN: number,
  options: Partial<NttPlanOptions> = {},
): Promise<Ntt> {
  const plan = planNtt(context.traits, logN, {
    segmentLength: frSegmentLength(context.traits),
    ...options,
  });
  const roots = createRootTable(context, logN);
  const paced = paceCommands(context, 'ntt tables');
  const cross: CrossLevels = await openCrossLevels(context, plan, roots);
  const scaling: Scaling = await openScaling(context);
  const open = plan.form === 'tiled' ? openTiledBlocks : openPlainBlocks;
  const blocks: BlockLevels = await open(context, plan, roots, paced, scaling);
  await paced.finish();

  const check = (vector: FrVector): void => {
    const fits =
      vector.length === 2 ** logN &&
      (vector.segments.length === 1 || vector.segmentLength === 2 ** plan.logSegment) &&
      vector.segments.length === 2 ** (logN - plan.logSegment);
    if (!fits) {
      throw new RangeError(
        `vector of ${vector.length} elements in ${vector.segments.length} segments does not fit a transform of 2^${logN} in segments of 2^${plan.logSegment}`,
      );
    }
  };
  return {
    plan,
    dif: async (pacer, vector, direction) => {
      check(vector);
      await cross.dif(pacer, vector, direction);
      await blocks.dif(pacer, vector, direction);
    },
    dit: async (pacer, vector, direction, factors) => {
      check(vector);
      await blocks.dit(pacer, vector, direction, factors);
      await cross.dit(pacer, vector, direction);
    },
    scale: async (pacer, vector, order, factors) => {
      check(vector);
      await scaling.scale(pacer, vector, order, factors);
    },
    close: () => {
      blocks.close();
      dropPowerTable(context, roots);
    },
  };
}
