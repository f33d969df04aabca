import type { GpuContext } from '../device/context.ts';
import { type PacedCommands, paceCommands } from '../device/paced-commands.ts';
import { type FrVector, frSegmentLength } from '../field/fr-vector.ts';
import { openCrossSteps } from './ntt-cross.ts';
import { openPlainSteps } from './ntt-plain.ts';
import { type Direction, type NttPlan, type NttPlanOptions, planNtt } from './ntt-plan.ts';
import type { NttStep, NttSteps, StepUse } from './ntt-step.ts';
import { createRootTable, dropPowerTable, type PowerTable } from './ntt-tables.ts';
import { openTiledSteps } from './ntt-tiled.ts';
import { transformField } from './transform-field.ts';

/**
 * How a vector's elements are written: `common` words as all kernels know them, or `kept` as the transforms compute
 * with them, which saves the conversion between two transforms.
 */
export type ElementForm = 'common' | 'kept';

export interface TransformOptions {
  /**
   * On the coset of g = a root of order 2n: dit evaluates at g·w^k (forward) or its inverse; dif multiplies output
   * index k by g^k or, inverse, by g^−k.
   */
  readonly coset?: boolean;
  readonly input?: ElementForm;
  readonly output?: ElementForm;
}

/**
 * Transforms of vectors of 2^logN elements in place. Forward evaluates at powers of the domain's root w, inverse at
 * powers of 1/w; neither divides by n. Position p of a vector in bit-reversed order holds index rev(p).
 */
export interface Ntt {
  readonly plan: NttPlan;
  /** Natural to bit-reversed order. */
  dif(
    paced: PacedCommands,
    vector: FrVector,
    direction: Direction,
    options?: TransformOptions,
  ): Promise<void>;
  /** Bit-reversed to natural order. */
  dit(
    paced: PacedCommands,
    vector: FrVector,
    direction: Direction,
    options?: TransformOptions,
  ): Promise<void>;
  /** Compiles the kernels and fills the tables of a kind of transform ahead of its first run. */
  prepare(
    order: 'dif' | 'dit',
    paced: PacedCommands,
    direction: Direction,
    options?: TransformOptions,
  ): Promise<void>;
  /** Gives the tables back. Vectors stay with their owner. */
  close(): void;
}

/**
 * Opens transforms of 2^logN points (1 ≤ logN ≤ 31) of vectors whose segments have `segmentLength` elements (default:
 * what the device allows).
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
  const roots = createRootTable(context, logN + 1);
  const blocks = await openBlocks(context, plan, roots);
  const steps = [...openCrossSteps(context, plan, roots), ...blocks.steps];
  const { converts } = transformField(context);
  const usesOf = (dit: boolean, direction: Direction, use: TransformOptions = {}) =>
    stepUses(steps, { dit, direction, ...use }, converts);

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
    dif: async (pacer, vector, direction, use) => {
      check(vector);
      for (const [step, each] of usesOf(false, direction, use)) {
        await step.record(pacer, vector, each);
      }
    },
    dit: async (pacer, vector, direction, use) => {
      check(vector);
      for (const [step, each] of usesOf(true, direction, use)) {
        await step.record(pacer, vector, each);
      }
    },
    prepare: async (order, pacer, direction, use) => {
      const uses = usesOf(order === 'dit', direction, use);
      await Promise.all(uses.map(([step, each]) => step.prepare(pacer, each)));
    },
    close: () => {
      blocks.close();
      dropPowerTable(context, roots);
    },
  };
}

/** The steps within segments, their tables filled; where that fails the roots are given back too. */
async function openBlocks(
  context: GpuContext,
  plan: NttPlan,
  roots: PowerTable,
): Promise<NttSteps> {
  const paced = paceCommands(context, 'ntt tables');
  const open = plan.form === 'tiled' ? openTiledSteps : openPlainSteps;
  let blocks: NttSteps | undefined;
  try {
    blocks = await open(context, plan, roots, paced);
    await paced.finish();
    return blocks;
  } catch (error) {
    blocks?.close();
    dropPowerTable(context, roots);
    throw error;
  }
}

/** The steps in the order they run, each with what it is to do. */
function stepUses(
  outermostFirst: readonly NttStep[],
  use: TransformOptions & Pick<StepUse, 'dit' | 'direction'>,
  converts: boolean,
): [NttStep, StepUse][] {
  const { dit, direction, coset = false, input = 'common', output = 'common' } = use;
  const steps = dit ? outermostFirst.toReversed() : outermostFirst;
  return steps.map((step, i) => [
    step,
    {
      dit,
      direction,
      coset,
      enter: converts && i === 0 && input === 'common',
      leave: converts && i === steps.length - 1 && output === 'common',
    },
  ]);
}
