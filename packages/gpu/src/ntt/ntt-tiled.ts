import type { GpuContext } from '../device/context.ts';
import { type Kernel, u32Const } from '../device/kernel.ts';
import type { PacedCommands } from '../device/paced-commands.ts';
import { FR_VARIANTS } from '../field/field-variants.ts';
import { type FrVector, segmentRanges } from '../field/fr-vector.ts';
import type { BlockLevels } from './ntt-levels.ts';
import { type Direction, type NttPlan, TILE_LOG } from './ntt-plan.ts';
import type { Scaling } from './ntt-scale.ts';
import { createBoundary, createTileRoots, type PowerTable } from './ntt-tables.ts';

const TILE = 2 ** TILE_LOG;

interface Pass {
  readonly levels: number;
  /** log2 of the points of the transform that this pass is the outermost part of. */
  readonly logBlock: number;
  readonly inner: boolean;
  readonly dif: Kernel;
  readonly dit: Kernel;
  /** Inner pass only: with a factor per element on the way in. */
  readonly scaledDit: Kernel | undefined;
  readonly boundary: Readonly<Record<Direction, GPUBuffer>> | undefined;
}

/** The tiled form: passes of up to ten levels in workgroup memory, 16 KiB of it, four elements per invocation. */
export async function openTiledBlocks(
  context: GpuContext,
  plan: NttPlan,
  roots: PowerTable,
  tables: PacedCommands,
  _scaling: Scaling,
): Promise<BlockLevels> {
  const tileRoots = createTileRoots(context);
  const passes: Pass[] = [];
  let logBlock = plan.logBlock;
  for (const [i, levels] of plan.passes.entries()) {
    const inner = i === plan.passes.length - 1;
    passes.push(await openPass(context, plan, roots, tables, { levels, logBlock, inner }));
    logBlock -= levels;
  }
  const run = async (
    paced: PacedCommands,
    vector: FrVector,
    direction: Direction,
    pass: Pass,
    kernel: Kernel,
    factors: PowerTable,
  ): Promise<void> => {
    const boundary = pass.boundary?.[direction];
    const tablePair =
      boundary === undefined ? [factors.low, factors.high] : [boundary, factors.high];
    for (const part of segmentRanges(vector)) {
      paced.commands.dispatch(kernel, [part.segment, tileRoots, ...tablePair], part.count / TILE, [
        pass.logBlock,
        Math.floor(pass.levels / 2),
        direction === 'inverse' ? 1 : 0,
        plan.logN,
        factors.lowBits,
        part.first,
      ]);
      await paced.spend((part.count * (pass.levels + 2)) / 2);
    }
  };
  return {
    dif: async (paced, vector, direction) => {
      for (const pass of passes) await run(paced, vector, direction, pass, pass.dif, roots);
    },
    dit: async (paced, vector, direction, factors) => {
      for (const pass of passes.toReversed()) {
        const scaled = factors !== undefined ? pass.scaledDit : undefined;
        if (scaled === undefined || factors === undefined) {
          await run(paced, vector, direction, pass, pass.dit, roots);
        } else {
          await run(paced, vector, direction, pass, scaled, factors);
        }
      }
    },
    close: () => {
      context.buffers.drop(tileRoots);
      for (const { boundary } of passes) {
        if (boundary === undefined) continue;
        context.buffers.drop(boundary.forward);
        context.buffers.drop(boundary.inverse);
      }
    },
  };
}

async function openPass(
  context: GpuContext,
  plan: NttPlan,
  roots: PowerTable,
  tables: PacedCommands,
  { levels, logBlock, inner }: { levels: number; logBlock: number; inner: boolean },
): Promise<Pass> {
  const kernel = (name: 'dif' | 'dit', scaled = false): Promise<Kernel> =>
    context.kernels.get({
      file: `ntt/tile-${name}.wgsl`,
      bindings: 'wrrru',
      workgroupSize: TILE / 4,
      constants: {
        TILE: u32Const(TILE),
        LEVELS: u32Const(levels),
        INNER: { type: 'bool', value: inner ? 1 : 0 },
        FULL: { type: 'bool', value: plan.fullBoundary ? 1 : 0 },
        SCALED: { type: 'bool', value: scaled ? 1 : 0 },
      },
      substitute: {
        'ntt/exchange.wgsl': `generated/exchange-${FR_VARIANTS[context.variants.fr].limbs}.wgsl`,
      },
    });
  const [dif, dit, scaledDit] = await Promise.all([
    kernel('dif'),
    kernel('dit'),
    inner ? kernel('dit', true) : undefined,
  ]);
  const table = (inverse: boolean): Promise<GPUBuffer> =>
    createBoundary(context, tables, roots, logBlock, levels, inverse);
  const boundary =
    inner || !plan.fullBoundary
      ? undefined
      : { forward: await table(false), inverse: await table(true) };
  return { levels, logBlock, inner, dif, dit, scaledDit, boundary };
}
