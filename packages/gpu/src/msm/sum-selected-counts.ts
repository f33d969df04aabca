import { type CurveRun, openPacedCommands } from '../curve/curve-commands.ts';
import { openPairTree } from '../curve/pair-tree.ts';
import { closeIfFails } from '../device/close-if-fails.ts';
import type { GpuContext } from '../device/context.ts';
import {
  bitSpan,
  chunksOf,
  cutsOf,
  largestSize,
  type PlannedBases,
  sizeOf,
} from './sum-selected-chunks.ts';
import { openSelectedLists } from './sum-selected-list.ts';
import { type Pieces, piecesFor } from './sum-selected-size.ts';

/** For each chunk of a sum of selected points, for each of its arrays: references below each segment's end. */
export type ChunkCounts = readonly (readonly Uint32Array[])[];

/** The tree is open for its kernels alone. */
const NO_TREE = { elements: 2, arenaPoints: 2, groups: 1 };

/**
 * What `planes` pick of each of several sets of bases, which need not be there yet, so that submitSelected need not
 * wait for it. All are of one group. Throws CuzkError CANCELLED.
 */
export async function countSelected(
  context: GpuContext,
  sets: readonly (readonly PlannedBases[])[],
  planes: readonly GPUBuffer[],
  run: CurveRun,
  pieces: Pieces = piecesFor(context.traits),
): Promise<ChunkCounts[]> {
  const picking = planes.length === 0 ? [] : sets.filter((arrays) => bitSpan(arrays) > 0);
  if (picking.length === 0) return sets.map(() => []);
  const sized = picking.map((arrays) => {
    const size = sizeOf(context.traits, arrays, planes.length, pieces);
    const sums = planes.map((plane) => arrays.map((array) => ({ ...array, plane })));
    return { arrays, size, chunks: sums.flatMap((ofPlane) => [...chunksOf(ofPlane, size)]) };
  });
  const most = largestSize(context.traits, picking, planes.length, pieces);
  const cuts = sized.flatMap(({ chunks }) => chunks.flatMap(({ sums }) => cutsOf(sums)));
  const bounds = cuts.reduce((sum, { segments }) => sum + segments + 1, 0);
  const tree = await openPairTree(context, picking[0][0].points.group, NO_TREE, run.form);
  const lists = await closeIfFails(openSelectedLists(context, tree, most, bounds), tree);
  try {
    const commands = openPacedCommands(context, run);
    for (const { chunk, sums } of sized.flatMap(({ chunks }) => chunks)) {
      lists.count(commands, lists.compact(commands, chunk), cutsOf(sums));
      await commands.spend(chunk.words);
    }
    await commands.send();
    const counts = await lists.read();
    let first = 0;
    const countsOf = new Map(
      sized.map(({ arrays, chunks }) => {
        const own = counts.slice(first, first + chunks.length);
        first += chunks.length;
        return [arrays, own];
      }),
    );
    return sets.map((arrays) => countsOf.get(arrays) ?? []);
  } finally {
    lists.close();
    tree.close();
  }
}
