import { type OpenedDevice, readKernel } from '@cuzk/gpu/device/device';
import { createKernelCache } from '@cuzk/gpu/device/kernel';
import { openTestDevice } from '@cuzk/gpu/testing/software-device';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { smallPartition } from '../../small-partition.ts';
import type { KernelResult } from './kernel-result.ts';
import { withPowerBases } from './power-inputs.ts';
import { timeSmallProofs } from './small-proofs.ts';
import { timeBitSums } from './time-bit-sums.ts';
import { timeMsms } from './time-msm.ts';
import { timeNtts } from './time-ntt.ts';
import { timePartition } from './time-partition.ts';

describe('checks of cuzk bench kernels', () => {
  let opened: OpenedDevice;
  beforeAll(async () => {
    opened = await openTestDevice();
  });
  afterAll(() => opened.close());
  const ceilings = { fpPerSecond: 3e7, frPerSecond: 6e7, copyBytesPerSecond: 1e10 };

  /** The device with one kernel file changed. */
  function altered(file: string, from: string, to: string) {
    const { context } = opened;
    const read = (path: string): string => {
      const text = readKernel(path);
      if (path !== file) return text;
      expect(text).toContain(from);
      return text.replace(from, to);
    };
    return { ...context, kernels: createKernelCache(context.device, context.variants, read) };
  }
  async function resultsOf(
    run: (onResult: (result: KernelResult) => void) => Promise<void>,
  ): Promise<boolean[]> {
    const results: KernelResult[] = [];
    await run((result) => results.push(result));
    return results.map(({ passed }) => passed);
  }

  it('tell a right transform from a wrong one', async () => {
    const wrong = altered('ntt/butterfly.wgsl', 's02 = fr_add(', 's02 = fr_sub(');
    const time = (context: typeof wrong) =>
      resultsOf((onResult) => timeNtts(context, ceilings, [10, 13], onResult));
    expect(await time(opened.context)).toEqual([true, true]);
    expect(await time(wrong)).toEqual([false, false]);
  });

  it('tell a right MSM and a right sum of bits from wrong ones', async () => {
    const sizes = { logCounts: [10, 11], fromHost: [11] };
    const time = (context: typeof opened.context) =>
      resultsOf(async (onResult) => {
        await withPowerBases(opened.context, 'g1', 2 ** 11, async (bases) => {
          await timeMsms(context, ceilings, bases, sizes, onResult);
          await timeBitSums(context, bases, [10], onResult);
        });
      });
    expect(await time(opened.context)).toEqual([true, true, true, true]);
    const fold = altered('msm/signed-digits.wgsl', 'negate == 1u', 'negate == 2u');
    expect(await time(fold)).toEqual([false, false, false, true]);
    const bits = altered(
      'msm/select-references.wgsl',
      'word * 32u + bit',
      'word * 32u + (bit ^ 1u)',
    );
    expect(await time(bits)).toEqual([true, true, true, false]);
  });

  it('tell small proofs that hold from ones that do not', async () => {
    const verdicts = async (context: typeof opened.context, count: number) =>
      (await timeSmallProofs(context, count)).map(({ verified }) => verified);
    expect(await verdicts(opened.context, 2)).toEqual([true, true]);
    const wrong = altered('msm/signed-digits.wgsl', 'negate == 1u', 'negate == 2u');
    expect(await verdicts(wrong, 1)).toEqual([false]);
  });

  it('tell a satisfied circuit from one that is not', async () => {
    const partition = smallPartition('one Poseidon hash');
    const time = (made: typeof partition) =>
      resultsOf((onResult) => timePartition(opened.context, made, onResult));
    expect(await time(partition)).toEqual([true, true, true]);
    const elements = partition.witness.elements.slice();
    elements[800] = (elements[800] ?? 0) ^ 1;
    const broken = { ...partition, witness: { ...partition.witness, elements } };
    expect(await time(broken)).toEqual([false, false, false]);
  });
});
