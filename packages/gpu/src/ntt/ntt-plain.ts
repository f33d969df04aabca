import { groupsFor } from '../device/commands.ts';
import type { GpuContext } from '../device/context.ts';
import type { Kernel } from '../device/kernel.ts';
import type { PacedCommands } from '../device/paced-commands.ts';
import { segmentRanges } from '../field/fr-vector.ts';
import type { NttPlan } from './ntt-plan.ts';
import type { NttStep, NttSteps, StepUse } from './ntt-step.ts';
import { expandRoots, type PowerTable } from './ntt-tables.ts';
import { transformKernel } from './transform-field.ts';

const WORKGROUP = 64;
/**
 * Blocks of an invocation on a software adapter, which share its roots: many where they lie close together, few where
 * each is a stream of its own for the processor to fetch ahead.
 */
const NEAR_BLOCKS = 16;
const FAR_BLOCKS = 4;
/** log2 of a quarter of a block, up to which blocks are near: 8 KiB. */
const NEAR_QUARTER_LOG = 6;
/** Invocations at least: eight workgroups. */
const LEAST_INVOCATIONS = 2 ** 9;

/**
 * The plain form: one dispatch per two levels, global memory only. The fastest one on software adapters, and the
 * only one for small transforms.
 */
export async function openPlainSteps(
  context: GpuContext,
  plan: NttPlan,
  roots: PowerTable,
  tables: PacedCommands,
): Promise<NttSteps> {
  const { logBlock } = plan;
  const rootTables = new Map<number, GPUBuffer>();
  for (const logTable of plainTableLogs(logBlock)) {
    const range = { logOrder: logTable + 1, start: 0, count: 2 ** logTable, logStep: 0, offset: 0 };
    rootTables.set(logTable, await expandRoots(context, tables, roots, range));
  }
  const steps: NttStep[] = [];
  for (let log = logBlock - 2; log >= 0; log -= 2) {
    const logTable = Math.min(...Array.from(rootTables.keys()).filter((each) => each >= log + 2));
    const halfRoots = rootTables.get(logTable) as GPUBuffer;
    steps.push(radix4Step(context, { logTable, halfRoots }, log));
  }
  // an odd number of levels leaves the innermost one to radix 2
  if (logBlock % 2 === 1) steps.push(radix2Step(context));
  return {
    steps,
    close: () => {
      for (const table of rootTables.values()) context.buffers.drop(table);
    },
  };
}

/** Levels that share a table of roots. */
const TABLE_LEVELS = 4;
/** log2 of the entries of the last table at least: all of it is in a core's first cache. */
const SMALLEST_TABLE_LOG = 8;

/**
 * log2 of the entries of the tables of roots, largest first. Inner levels have tables of their own: in the table of
 * the whole block their few roots lie a large power of two apart, all in the same set of a cache.
 */
export function plainTableLogs(logBlock: number): number[] {
  const logs = [logBlock];
  for (let log = logBlock - TABLE_LEVELS; log >= SMALLEST_TABLE_LOG; log -= TABLE_LEVELS) {
    logs.push(log);
  }
  return logs;
}

/** Blocks of an invocation, where each has 2^quarterLog of all butterflies; powers of two. */
function sharedBlocks(butterflies: number, quarterLog: number): number {
  const most = quarterLog <= NEAR_QUARTER_LOG ? NEAR_BLOCKS : FAR_BLOCKS;
  return Math.max(
    1,
    Math.min(most, butterflies / 2 ** quarterLog, butterflies / LEAST_INVOCATIONS),
  );
}

const formSwitches = ({ enter, leave }: StepUse) => ({ ENTER: enter, LEAVE: leave });

/** What a kernel's parameters say of a use. */
const useWords = ({ direction, coset }: StepUse): [inverse: number, coset: number] => [
  direction === 'inverse' ? 1 : 0,
  coset ? 1 : 0,
];

function radix4Step(
  context: GpuContext,
  { logTable, halfRoots }: { logTable: number; halfRoots: GPUBuffer },
  quarterLog: number,
): NttStep {
  const { software } = context.traits;
  const kernelOf = (use: StepUse): Promise<Kernel> =>
    transformKernel(
      context,
      { file: 'ntt/plain.wgsl', bindings: 'wru', workgroupSize: WORKGROUP },
      {},
      {
        DIT: use.dit,
        TURNS: use.coset || quarterLog > 0,
        // what enters is mostly the outermost level, which has one block
        SHARED: software && !use.enter,
        ...formSwitches(use),
      },
    );
  return {
    prepare: async (_paced, use) => {
      await kernelOf(use);
    },
    record: async (paced, vector, use) => {
      const kernel = await kernelOf(use);
      for (const part of segmentRanges(vector)) {
        const butterflies = part.count / 4;
        const blocks = software && !use.enter ? sharedBlocks(butterflies, quarterLog) : 1;
        const count = butterflies / blocks;
        paced.commands.dispatch(kernel, [part.segment, halfRoots], groupsFor(count, WORKGROUP), [
          quarterLog,
          logTable,
          count,
          blocks,
          ...useWords(use),
        ]);
        await paced.spend(part.count);
      }
    },
  };
}

function radix2Step(context: GpuContext): NttStep {
  const kernelOf = (use: StepUse): Promise<Kernel> =>
    transformKernel(
      context,
      { file: 'ntt/radix2.wgsl', bindings: 'wu', workgroupSize: WORKGROUP },
      {},
      { DIT: use.dit, ...formSwitches(use) },
    );
  return {
    prepare: async (_paced, use) => {
      await kernelOf(use);
    },
    record: async (paced, vector, use) => {
      const kernel = await kernelOf(use);
      for (const part of segmentRanges(vector)) {
        const pairs = part.count / 2;
        paced.commands.dispatch(kernel, [part.segment], groupsFor(pairs, WORKGROUP), [
          pairs,
          ...useWords(use),
        ]);
        await paced.spend(part.count / 4);
      }
    },
  };
}
