import type { Binding } from '../device/commands.ts';
import type { GpuContext } from '../device/context.ts';
import type { Kernel } from '../device/kernel.ts';
import { type FrVector, segmentRanges } from '../field/fr-vector.ts';
import { openPassTables } from './ntt-pass-tables.ts';
import type { NttPlan, TilePass } from './ntt-plan.ts';
import { quarterChunks } from './ntt-quarters.ts';
import { type NttStep, type NttSteps, type StepUse, stepSwitches } from './ntt-step.ts';
import { createTileRoots, type PowerTable } from './ntt-tables.ts';
import { transformKernel } from './transform-field.ts';

/** The tiled form: passes of up to ten levels in workgroup memory, 16 KiB of it, four elements per invocation. */
export async function openTiledSteps(
  context: GpuContext,
  plan: NttPlan,
  roots: PowerTable,
): Promise<NttSteps> {
  const tileLogs = new Set(plan.passes.map(({ tileLog }) => tileLog));
  const tileRoots = new Map(
    Array.from(tileLogs, (tileLog) => [tileLog, createTileRoots(context, tileLog)]),
  );
  const passes = plan.passes.map((pass) =>
    openPass(context, pass, { tileRoots: tileRoots.get(pass.tileLog) as GPUBuffer, roots }),
  );
  return {
    steps: passes,
    close: () => {
      for (const table of tileRoots.values()) context.buffers.drop(table);
      for (const pass of passes) pass.close();
    },
  };
}

function openPass(
  context: GpuContext,
  pass: TilePass,
  { tileRoots, roots }: { tileRoots: GPUBuffer; roots: PowerTable },
): NttStep & { close(): void } {
  const { levels, logBlock, inner, quarters, boundary } = pass;
  const tile = 2 ** pass.tileLog;
  const merged = boundary === 'merged';
  const vectorAt = merged ? 4 : 3;
  const vectors = quarters ? 4 : 1;
  const kernelOf = (use: StepUse): Promise<Kernel> =>
    transformKernel(
      context,
      {
        file: use.dit ? 'ntt/tile-dit.wgsl' : 'ntt/tile-dif.wgsl',
        bindings: `${'r'.repeat(vectorAt)}${'w'.repeat(vectors)}u`,
        workgroupSize: tile / 4,
        substitute: {
          ...(quarters ? { 'ntt/tile-memory.wgsl': 'ntt/tile-quarters.wgsl' } : {}),
          ...(merged ? { 'ntt/tile-twiddles.wgsl': 'ntt/tile-twiddles-merged.wgsl' } : {}),
        },
      },
      { TILE: tile, LEVELS: levels, VECTOR: vectorAt, PARAMS: vectorAt + vectors },
      { INNER: inner, FULL: boundary === 'full', ...stepSwitches(use) },
    );
  const tables = openPassTables(context, pass, tileRoots, roots);
  return {
    prepare: async (paced, use) => {
      await Promise.all([kernelOf(use), tables.get(paced, use)]);
    },
    record: async (paced, vector, use) => {
      const [kernel, twiddles] = [await kernelOf(use), await tables.get(paced, use)];
      for (const { bindings, count } of parts(vector, pass)) {
        const tiles = count / tile;
        paced.commands.dispatch(kernel, [...twiddles, ...bindings], tiles, [
          logBlock,
          Math.floor(levels / 2),
          roots.logN,
          roots.lowBits,
          tiles,
        ]);
        await paced.spend((count * (levels + 1)) / 2.5);
      }
    },
    close: () => tables.close(),
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
