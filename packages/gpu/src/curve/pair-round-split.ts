import { type Binding, groupsFor } from '../device/commands.ts';
import type { Kernel, KernelSpec } from '../device/kernel.ts';
import { FP_BYTES, type PairRound, type RoundInput } from './pair-round.ts';
import { inverseConstants, type SplitForm } from './pair-tree-kernels.ts';

const INVERSION_WORKGROUP = 64;

const threadCount = (pairs: number, form: SplitForm): number =>
  Math.max(Math.ceil(pairs / form.pairsPerThread), Math.min(pairs, form.minThreads), 1);

/** The round in passes: denominators, inversion of the threads' products, inverses, chords. */
export async function openSplitRound(input: RoundInput, form: SplitForm): Promise<PairRound> {
  const { context, group, take, constants } = input;
  const { workgroupSize, pairsPerThread, minThreads, inversions } = form;
  const specs: readonly KernelSpec[] = [
    {
      file: `curve/pair-denominators-${group}.wgsl`,
      bindings: 'rrwwwwwu',
      workgroupSize,
      constants,
    },
    {
      file: 'curve/pair-inversion.wgsl',
      bindings: 'wwru',
      workgroupSize: INVERSION_WORKGROUP,
      constants: inverseConstants(context),
    },
    { file: 'curve/pair-inverses.wgsl', bindings: 'wrru', workgroupSize },
    { file: `curve/pair-chords-${group}.wgsl`, bindings: 'rwwrrru', workgroupSize, constants },
  ];
  const [denominators, inversion, inverses, chords] = await Promise.all(
    specs.map((spec) => context.kernels.get(spec)),
  );
  const most = Math.max(1, input.pairs);
  // the running product and the denominator, or the norm of that, of a pair
  const products = take(2 * most * FP_BYTES, 'products');
  const totals = take(threadCount(most, form) * FP_BYTES, 'totals');
  const prefixes = take(threadCount(most, form) * FP_BYTES, 'prefixes');
  return {
    params: (arenaPoints, baseStart) => [
      arenaPoints,
      most,
      pairsPerThread,
      minThreads,
      baseStart,
      inversions,
      1,
    ],
    record: (commands, { points, arenaX, arenaY, pairs, state, alike }, count, params) => {
      const threads = threadCount(count, form);
      const run = (kernel: Kernel, bindings: readonly Binding[], invocations: number): void =>
        commands.dispatch(kernel, bindings, groupsFor(invocations, kernel.workgroupSize), params);
      run(denominators, [points, arenaX, pairs, products, totals, state, alike], threads);
      run(inversion, [totals, prefixes, state], Math.min(threads, inversions));
      run(inverses, [products, totals, state], threads);
      run(chords, [points, arenaX, arenaY, pairs, products, state], count);
    },
  };
}
