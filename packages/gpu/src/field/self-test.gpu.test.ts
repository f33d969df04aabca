import { mod } from '@cuzk/core/field/modular';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type OpenedDevice, readKernel } from '../device/device.ts';
import { createKernelCache } from '../device/kernel.ts';
import type { KernelReader } from '../device/wgsl.ts';
import { openTestDevice, processorSeconds } from '../testing/software-device.ts';
import { FP_VARIANTS } from './field-variants.ts';
import { requireIntegerForms, runSelfTest } from './self-test.ts';
import { randomOperands } from './self-test-operands.ts';
import { chainEnds } from './self-test-products.ts';

/** The number that a carry subtracts. */
const CORRECTION = /- (?<high>0x[0-9a-f]{7})0u;/;

describe('self-test', () => {
  let opened: OpenedDevice;
  beforeAll(async () => {
    opened = await openTestDevice();
  });
  afterAll(() => {
    opened.close();
  });
  const withKernels = (read: KernelReader) => ({
    ...opened.context,
    kernels: createKernelCache(opened.context.device, opened.context.variants, read),
  });
  /** Reads the kernels with one generated file changed. */
  const altered =
    (file: string, from: string | RegExp, to: string): KernelReader =>
    (path) => {
      const text = readKernel(path);
      if (path !== file) return text;
      const changed = text.replace(from, to);
      expect(changed).not.toBe(text);
      return changed;
    };

  it('allows the 24-bit forms where f32 rounds to nearest, and says what it compared', async () => {
    const cpu = processorSeconds();
    const { variants, seconds, probes } = await runSelfTest(opened.context);
    console.log(
      `self-test: ${seconds.toFixed(2)} s, ${(processorSeconds() - cpu).toFixed(2)} processor seconds`,
    );
    console.log(JSON.stringify(probes));
    expect(variants).toEqual({ fp: 'signed24', fr: 'signed24' });
    expect(probes.length).toBe(6);
    expect(probes.every((probe) => probe.passed && probe.checked > 0)).toBe(true);
    expect(Object.values(opened.context.buffers.bytesInUse).every((bytes) => bytes === 0)).toBe(
      true,
    );
  });

  it.each([
    [
      'an f32 addition that is off by one unit',
      'field/probe-rounding.wgsl',
      'bitcast<u32>(t.x + t.y)',
      'bitcast<u32>(t.x + t.y) & 0xfffffffeu',
    ],
    ['a wrong carry of Fr', 'generated/fr-signed24.wgsl', CORRECTION, '- $<high>1u;'],
    [
      'a wrong carry of the digits that transforms compute in',
      'generated/fr-pmns23.wgsl',
      CORRECTION,
      '- $<high>1u;',
    ],
    [
      'a wrong quotient of Fp',
      'generated/fp-signed24.wgsl',
      /bitcast<i32>\(\(l3/,
      'bitcast<i32>((256u + l3',
    ],
  ])('falls back to the integer forms on %s', async (_what, file, from, to) => {
    const { variants, probes } = await runSelfTest(withKernels(altered(file, from, to)));
    expect(variants).toEqual({ fp: 'signed13', fr: 'karatsuba13' });
    expect(probes.some((probe) => !probe.passed)).toBe(true);
  });

  it('tests an integer form only for a device that is to use it, and refuses one that fails it', async () => {
    const wrongInteger = altered(
      'generated/fp-signed13.wgsl',
      /t0 \+= a\.v0 \* b\.v0;/,
      't0 += a.v0 * b.v1;',
    );
    const { probes } = await runSelfTest(withKernels(readKernel));
    expect(probes.filter(({ name }) => /13/.test(name))).toEqual([]);
    await expect(requireIntegerForms(withKernels(wrongInteger))).rejects.toMatchObject({
      facts: { found: expect.stringContaining('fp signed13 in chains') },
    });
    const tested = await requireIntegerForms(withKernels(readKernel));
    expect(tested.map(({ passed, checked }) => [passed, checked])).toEqual([
      [true, 2 ** 20],
      [true, 2 ** 20],
    ]);
    const bothWrong = altered('field/probe-rounding.wgsl', 't.x + t.y', 't.x - t.y');
    const read = (path: string): string =>
      path === 'field/probe-rounding.wgsl' ? bothWrong(path) : wrongInteger(path);
    await expect(runSelfTest(withKernels(read))).rejects.toThrow('GPU_SELF_TEST_FAILED');
  });

  it('knows the end of a chain as one step after the other gives it', () => {
    const { modulus } = FP_VARIANTS.signed24;
    const operands = randomOperands(FP_VARIANTS.signed24, 3, 7);
    operands.y[1] = operands.y[0];
    const ends = operands.x.map((x, i) => {
      let value = x - operands.z[i];
      for (let n = 0; n < 16; n++) value = mod(value * operands.y[i] - operands.z[i], modulus);
      return value;
    });
    expect(chainEnds(modulus, operands, 16)).toEqual(ends);
    expect(chainEnds(modulus, operands, 32)).not.toEqual(ends);
  });
});
