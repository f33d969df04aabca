import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { compileRound, measureRound } from '../curve/measure-round.ts';
import { openPairTree } from '../curve/pair-tree.ts';
import { type OpenedDevice, readKernel } from '../device/device.ts';
import { createKernelCache } from '../device/kernel.ts';
import { runSelfTest } from '../field/self-test.ts';
import { fastestForms, tuneMultipliers, WORTHWHILE } from '../field/tune-multipliers.ts';
import { planMsm } from '../msm/msm-plan.ts';
import { openTestDevice } from '../testing/software-device.ts';
import { type Tuning, tuneDevice, withTuning } from './tune-device.ts';
import { decodeTuning, encodeTuning } from './tuning-file.ts';

describe('tuning of a device', () => {
  let opened: OpenedDevice;
  let tuning: Tuning;
  const allowed = { fp: 'signed24', fr: 'signed24' } as const;
  beforeAll(async () => {
    opened = await openTestDevice();
    tuning = await tuneDevice(opened.context, allowed, readKernel);
    console.log(JSON.stringify(tuning));
  });
  afterAll(() => opened.close());

  it('picks what nothing it measured beats by more than the spread', () => {
    const { multipliers } = tuning.measured;
    for (const field of ['fp', 'fr'] as const) {
      const rates = multipliers.filter((each) => each.field === field);
      const most = Math.max(...rates.map((each) => each.millionPerSecond));
      const chosen = rates.find(({ variant }) => variant === tuning.variants[field]);
      expect(most / (chosen?.millionPerSecond ?? 0)).toBeLessThanOrEqual(WORTHWHILE.software);
    }
    // the MSMs of a software adapter are cut by typical figures
    expect(tuning).toMatchObject({ measured: { round: null } });
    expect(tuning.measured.fpMulPerSecond).toBeGreaterThan(0);
    expect(Object.values(opened.context.buffers.bytesInUse).every((bytes) => bytes === 0)).toBe(
      true,
    );
  });

  it('takes the integer form where it is clearly faster, on cores by more than on hardware', () => {
    const measured = (fr: number, fp: number) => [
      { field: 'fp', variant: 'signed24', millionPerSecond: 10 } as const,
      { field: 'fp', variant: 'signed13', millionPerSecond: fp } as const,
      { field: 'fr', variant: 'signed24', millionPerSecond: 10 } as const,
      { field: 'fr', variant: 'karatsuba13', millionPerSecond: fr } as const,
    ];
    const integer = { fp: 'signed13', fr: 'karatsuba13' };
    expect(fastestForms(measured(10.9, 10.9), allowed, 'hardware')).toEqual(allowed);
    expect(fastestForms(measured(11.1, 11.1), allowed, 'hardware')).toEqual(integer);
    expect(fastestForms(measured(14.9, 14.9), allowed, 'software')).toEqual(allowed);
    expect(fastestForms(measured(15.1, 9), allowed, 'software')).toEqual({
      ...allowed,
      fr: 'karatsuba13',
    });
  });

  it('cuts an MSM by what was measured: dear buckets, small windows', () => {
    const { context } = opened;
    const windows = (bucket: number): number => {
      const msmRates = { ...tuning.msmRates, bucket };
      return planMsm(2 ** 16, withTuning(context, { ...tuning, msmRates }, readKernel).traits, 'g1')
        .windows;
    };
    expect(windows(1e-3)).toBeGreaterThan(windows(1e-9));
  });

  it('compiles nothing for multipliers that the self-test has compiled, and measures them until a promise settles', async () => {
    const { context } = opened;
    await runSelfTest(context);
    const before = context.kernels.compiled.count;
    let settle = (): void => {};
    const until = new Promise<void>((resolve) => {
      settle = resolve;
    });
    const tuned = tuneMultipliers(context, allowed, until);
    const early = await Promise.race([tuned, setTimeout(2_000, 'still measuring')]);
    expect(early).toBe('still measuring');
    settle();
    expect((await tuned).measured).toHaveLength(2);
    expect(context.kernels.compiled.count).toBe(before);
  });

  it('measures integer forms too on every adapter but llvmpipe', async () => {
    const { traits } = opened.context;
    const another = { ...opened.context, traits: { ...traits, description: 'another adapter' } };
    const { variants, measured } = await tuneMultipliers(another, allowed, Promise.resolve());
    expect(measured.map(({ variant }) => variant)).toEqual([
      'signed24',
      'signed24',
      'signed13',
      'karatsuba13',
    ]);
    expect(measured.every(({ millionPerSecond }) => millionPerSecond > 0)).toBe(true);
    // as they are on this adapter, which is why it does without them
    expect(variants).toEqual(allowed);
  });

  it('measures the rounds of hardware with the pipelines that an MSM has', async () => {
    // they run here too, slowly
    const { device, traits, variants } = opened.context;
    const kernels = createKernelCache(device, variants, readKernel);
    const hardware = { ...opened.context, traits: { ...traits, software: false }, kernels };
    await compileRound(hardware);
    const { count } = kernels.compiled;
    const round = await measureRound(hardware, { large: 512, small: 64 });
    expect(kernels.compiled.count).toBe(count);
    expect(round?.additionsPerSecond).toBeGreaterThan(0);
    expect(round?.latencySeconds).toBeGreaterThan(0);
    const tuned = kernels.asked;
    const size = { elements: 2, arenaPoints: 1, groups: 1 };
    const tree = await openPairTree(hardware, 'g1', size);
    tree.close();
    // each of them was one of the tree's
    expect(kernels.asked.slice(0, tuned.length)).toEqual(tuned);
    expect(kernels.asked.length).toBe(kernels.compiled.count);
    expect(tuned).toHaveLength(4);
    expect(await measureRound(opened.context)).toBeNull();
    expect(Object.values(opened.context.buffers.bytesInUse).every((bytes) => bytes === 0)).toBe(
      true,
    );
  });

  it('comes back from a file, and not from a damaged or foreign one', () => {
    const { traits } = opened.context;
    const key = { adapter: traits.description, kernels: 'a digest' };
    const text = encodeTuning(key, tuning);
    const read = (stored: string, forms: Parameters<typeof decodeTuning>[2] = allowed) =>
      decodeTuning(stored, key, forms);
    expect(read(text)).toEqual(tuning);
    expect(() => read(text.slice(0, -20))).toThrow('not a JSON object');
    expect(() => read('7')).toThrow('not a JSON object');
    expect(() => read('{}')).toThrow('adapter');
    expect(() => read(encodeTuning({ ...key, kernels: 'another' }, tuning))).toThrow('kernels');
    const changed = (change: object): string =>
      encodeTuning(key, { ...tuning, ...change } as Tuning);
    const integerOnly = { fp: 'signed13', fr: 'karatsuba13' } as const;
    const wide = changed({ variants: allowed });
    expect(() => read(wide, integerOnly)).toThrow('variants.fp');
    expect(() => read(changed({ msmRates: { ...tuning.msmRates, entry: -1 } }))).toThrow('entry');
    expect(() => read(changed({ measured: {} }))).toThrow('measured');
  });
});
