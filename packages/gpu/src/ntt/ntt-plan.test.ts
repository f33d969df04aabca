import { describe, expect, it } from 'vitest';
import type { DeviceTraits } from '../device/context.ts';
import { planNtt, splitPasses } from './ntt-plan.ts';

const traits: DeviceTraits = {
  description: 'test',
  software: false,
  maxBindingBytes: 2 ** 31 - 4,
  maxBufferBytes: 2 ** 40,
  workgroupBytes: 16384,
  workgroupInvocations: 256,
  storageBuffersPerStage: 8,
  timestamps: false,
};

describe('planNtt', () => {
  it('splits every block into passes of 2 to 10 levels that add up', () => {
    for (let log = 12; log <= 25; log++) {
      const passes = splitPasses(log);
      expect(passes.reduce((sum, levels) => sum + levels, 0)).toBe(log);
      expect(passes.length).toBe(Math.ceil(log / 10));
      for (const levels of passes) expect(levels >= 2 && levels <= 10).toBe(true);
      expect(passes.filter((levels) => levels % 2 === 1).length).toBe(log % 2);
    }
    expect(splitPasses(20)).toEqual([10, 10]);
    expect(splitPasses(22)).toEqual([6, 8, 8]);
    expect(splitPasses(26)).toEqual([8, 8, 10]);
    expect(splitPasses(27)).toEqual([8, 9, 10]);
  });

  it('leaves columns for a whole tile in every strided pass', () => {
    for (let log = 12; log <= 25; log++) {
      let block = log;
      for (const levels of splitPasses(log).slice(0, -1)) {
        expect(block - levels).toBeGreaterThanOrEqual(10 - levels);
        block -= levels;
      }
      expect(block).toBeLessThanOrEqual(10);
    }
  });

  it('takes the last two levels between segments into the outermost pass, and crosses before', () => {
    expect(planNtt(traits, 27, { segmentLength: 2 ** 25 })).toMatchObject({
      crossBlocks: [],
      logBlock: 27,
      logSegment: 25,
      form: 'tiled',
    });
    const { crossBlocks, passes } = planNtt(traits, 27, { segmentLength: 2 ** 22 });
    expect(crossBlocks).toEqual([27, 25]);
    expect(passes.map(({ quarters }) => quarters)).toEqual([true, false, false]);
    expect(passes.reduce((sum, { levels }) => sum + levels, 0)).toBe(23);
    const plain = planNtt(traits, 27, { segmentLength: 2 ** 22, form: 'plain' });
    expect(plain).toMatchObject({ crossBlocks: [27, 25, 23], logBlock: 21 });
    expect(planNtt(traits, 22, { segmentLength: 2 ** 22 }).crossBlocks).toEqual([]);
  });

  it('takes a smaller tile for passes of at most eight levels', () => {
    const { passes } = planNtt(traits, 27, { segmentLength: 2 ** 25 });
    expect(passes.map(({ levels, tileLog }) => [levels, tileLog])).toEqual([
      [8, 9],
      [9, 10],
      [10, 10],
    ]);
  });

  it('merges the twiddles of a pass over segments, and has full tables within one', () => {
    const { passes } = planNtt(traits, 27, { segmentLength: 2 ** 25 });
    expect(passes.map(({ boundary }) => boundary)).toEqual(['merged', 'full', 'none']);
    const none = planNtt(traits, 24, { segmentLength: 2 ** 25, fullBoundary: false });
    expect(none.passes.map(({ boundary }) => boundary)).toEqual(['two-level', 'two-level', 'none']);
  });

  it('takes the plain form on software, for small blocks, and where a workgroup of 256 does not fit', () => {
    expect(planNtt({ ...traits, software: true }, 20, { segmentLength: 2 ** 22 }).form).toBe(
      'plain',
    );
    expect(planNtt(traits, 11, { segmentLength: 2 ** 22 }).form).toBe('plain');
    expect(
      planNtt({ ...traits, workgroupInvocations: 128 }, 20, { segmentLength: 2 ** 22 }).form,
    ).toBe('plain');
  });

  it('refuses sizes outside the two-adicity', () => {
    expect(() => planNtt(traits, 0, { segmentLength: 2 })).toThrow(RangeError);
    expect(() => planNtt(traits, 32, { segmentLength: 2 })).toThrow(RangeError);
  });
});
