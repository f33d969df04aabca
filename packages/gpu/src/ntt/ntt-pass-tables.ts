import type { GpuContext } from '../device/context.ts';
import type { PacedCommands } from '../device/paced-commands.ts';
import type { TilePass } from './ntt-plan.ts';
import type { StepUse } from './ntt-step.ts';
import { createBoundary, expandRoots, type PowerTable } from './ntt-tables.ts';

/** The twiddle tables of a tile pass, in the order its kernels bind them; each is filled when a use first needs it. */
export interface PassTables {
  get(paced: PacedCommands, use: StepUse): Promise<readonly GPUBuffer[]>;
  close(): void;
}

/** Opens the tables of one pass; the roots of the tile and of the whole transform stay with their owner. */
export function openPassTables(
  context: GpuContext,
  pass: TilePass,
  tileRoots: GPUBuffer,
  roots: PowerTable,
): PassTables {
  const tables = new Map<string, GPUBuffer>();
  const once = async (key: string, make: () => Promise<GPUBuffer>): Promise<GPUBuffer> => {
    const known = tables.get(key);
    if (known !== undefined) return known;
    const table = await make();
    tables.set(key, table);
    return table;
  };
  /** One of two bindings of half a circle of powers: the even ones of a root of order 2 B, or the odd ones. */
  const half = (paced: PacedCommands, offset: 0 | 1, part: 0 | 1): Promise<GPUBuffer> => {
    const count = 2 ** (pass.logBlock - 2);
    return once(`half ${offset} ${part}`, () =>
      expandRoots(context, paced, roots, {
        logOrder: pass.logBlock + 1,
        start: part * count,
        count,
        logStep: 1,
        offset,
      }),
    );
  };
  const fill = async (paced: PacedCommands, use: StepUse): Promise<readonly GPUBuffer[]> => {
    if (pass.boundary === 'merged') {
      const evens = [await half(paced, 0, 0), await half(paced, 0, 1)];
      if (!use.coset) return [...evens, ...evens];
      return [...evens, await half(paced, 1, 0), await half(paced, 1, 1)];
    }
    if (pass.boundary !== 'full') return [tileRoots, roots.low, roots.high];
    const full = await once(`${use.direction} ${use.coset}`, () =>
      createBoundary(context, paced, roots, pass, use),
    );
    return [tileRoots, full, roots.high];
  };
  // one after the other, so that no table is made twice
  let last: Promise<unknown> = Promise.resolve();
  return {
    get: (paced, use) => {
      const filled = last.then(() => fill(paced, use));
      last = filled.catch(() => {});
      return filled;
    },
    close: () => {
      for (const table of tables.values()) context.buffers.drop(table);
    },
  };
}
