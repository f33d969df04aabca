import type { Binding } from '../device/commands.ts';
import type { GpuContext } from '../device/context.ts';
import type { Kernel } from '../device/kernel.ts';
import type { PacedCommands } from '../device/paced-commands.ts';
import { type FrVector, segmentRanges } from '../field/fr-vector.ts';
import type { NttPlan, TilePass } from './ntt-plan.ts';
import { quarterChunks } from './ntt-quarters.ts';
import { inverseMask, type NttStep, type NttSteps, type StepUse } from './ntt-step.ts';
import { createBoundary, createTileRoots, type PowerTable } from './ntt-tables.ts';
import { transformKernel } from './transform-field.ts';

/** The tiled form: passes of up to ten levels in workgroup memory, 16 KiB of it, four elements per invocation. */
export async function openTiledSteps(
  context: GpuContext,
  plan: NttPlan,
  roots: PowerTable,
): Promise<NttSteps> {
  const tileRoots = createTileRoots(context, plan.tileLog);
  const passes = plan.passes.map((pass) =>
    openPass(context, 2 ** plan.tileLog, pass, { tileRoots, roots }),
  );
  return {
    steps: passes,
    close: () => {
      context.buffers.drop(tileRoots);
      for (const pass of passes) pass.close();
    },
  };
}

function openPass(
  context: GpuContext,
  tile: number,
  pass: TilePass,
  { tileRoots, roots }: { tileRoots: GPUBuffer; roots: PowerTable },
): NttStep & { close(): void } {
  const { levels, logBlock, inner, quarters, full } = pass;
  const kernelOf = ({ dit, coset, enter, leave }: StepUse): Promise<Kernel> =>
    transformKernel(
      context,
      {
        file: dit ? 'ntt/tile-dit.wgsl' : 'ntt/tile-dif.wgsl',
        bindings: quarters ? 'wwwwrrru' : 'wrrru',
        workgroupSize: tile / 4,
        substitute: quarters ? { 'ntt/tile-memory.wgsl': 'ntt/tile-quarters.wgsl' } : {},
      },
      { TILE: tile, LEVELS: levels },
      { INNER: inner, FULL: full, COSET: coset, ENTER: enter, LEAVE: leave },
    );
  // by use: at most one table for each direction, on a coset or not
  const tables = new Map<string, GPUBuffer>();
  const tableOf = async (paced: PacedCommands, use: StepUse): Promise<GPUBuffer> => {
    if (!full) return roots.low;
    const key = `${use.direction} ${use.coset}`;
    const known = tables.get(key);
    if (known !== undefined) return known;
    const table = await createBoundary(context, paced, roots, pass, use);
    tables.set(key, table);
    return table;
  };
  return {
    prepare: async (paced, use) => {
      await Promise.all([kernelOf(use), tableOf(paced, use)]);
    },
    record: async (paced, vector, use) => {
      const [kernel, table] = [await kernelOf(use), await tableOf(paced, use)];
      for (const { bindings, count } of parts(vector, pass)) {
        paced.commands.dispatch(kernel, [...bindings, tileRoots, table, roots.high], count / tile, [
          logBlock,
          Math.floor(levels / 2),
          inverseMask(use.direction),
          roots.logN,
          roots.lowBits,
        ]);
        await paced.spend((count * (levels + 2)) / 2);
      }
    },
    close: () => {
      for (const table of tables.values()) context.buffers.drop(table);
    },
  };
}

/** What one dispatch of a pass is bound to: the quarters of the whole vector, or a segment. */
function* parts(
  vector: FrVector,
  { quarters, logBlock }: TilePass,
): Generator<{ bindings: Binding[]; count: number }> {
  if (quarters) {
    for (const { bindings, count } of quarterChunks(vector, logBlock)) {
      yield { bindings, count: 4 * count };
    }
    return;
  }
  for (const { segment, count } of segmentRanges(vector)) yield { bindings: [segment], count };
}
