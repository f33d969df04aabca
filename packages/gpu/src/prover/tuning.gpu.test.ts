import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fastestRound, measureRounds } from '../curve/tune-rounds.ts';
import { type OpenedDevice, readKernel } from '../device/device.ts';
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

  it('picks what nothing it measured beats by a tenth', () => {
    const { multipliers } = tuning.measured;
    for (const field of ['fp', 'fr'] as const) {
      const rates = multipliers.filter((each) => each.field === field);
      expect(rates).toHaveLength(2);
      const most = Math.max(...rates.map((each) => each.millionPerSecond));
      const chosen = rates.find(({ variant }) => variant === tuning.variants[field]);
      expect(most / (chosen?.millionPerSecond ?? 0)).toBeLessThanOrEqual(1.1);
    }
    // a software adapter has one layout only
    expect(tuning).toMatchObject({ round: null, measured: { rounds: [] } });
    expect(Object.values(opened.context.buffers.bytesInUse).every((bytes) => bytes === 0)).toBe(
      true,
    );
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

  it('measures layouts of rounds where there is more than one', async () => {
    // the layouts of hardware run here too, slowly; its windows then follow from what was measured
    const { context } = opened;
    const hardware = { ...context, traits: { ...context.traits, software: false } };
    const rounds = await measureRounds(hardware, { pairs: 512, rounds: 1 });
    const layouts = rounds.map((each) => `${each.workgroupSize} ${each.pairsPerThread}`);
    expect(new Set(layouts).size).toBe(layouts.length);
    expect(layouts[0]).toBe('128 32');
    expect(layouts).toHaveLength(3);
    expect(rounds.every((each) => each.additionsPerSecond > 0)).toBe(true);
    const [usual] = rounds;
    const slower = {
      ...usual,
      workgroupSize: 64,
      additionsPerSecond: usual.additionsPerSecond / 2,
    };
    const alike = { ...slower, additionsPerSecond: 1.02 * usual.additionsPerSecond };
    const faster = { ...slower, additionsPerSecond: 1.2 * usual.additionsPerSecond };
    expect(fastestRound([usual, slower, alike])).toBe(usual);
    expect(fastestRound([usual, faster])).toBe(faster);
  });

  it('comes back from a file, and not from a damaged or foreign one', () => {
    const { traits } = opened.context;
    const key = { adapter: traits.description, kernels: 'a digest' };
    const text = encodeTuning(key, tuning);
    const read = (stored: string, forms: Parameters<typeof decodeTuning>[2] = allowed) =>
      decodeTuning(stored, key, forms, traits);
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
    expect(() => read(changed({ round: { workgroupSize: 4096, pairsPerThread: 32 } }))).toThrow(
      'round.workgroupSize',
    );
    expect(() => read(changed({ round: { workgroupSize: 64, pairsPerThread: 0 } }))).toThrow(
      'round.pairsPerThread',
    );
    expect(() => read(changed({ msmRates: { ...tuning.msmRates, entry: -1 } }))).toThrow('entry');
    expect(() => read(changed({ measured: {} }))).toThrow('measured');
  });
});
