import { loadConfig } from '@cuzk/service-kit/config/load-config';
import { describe, expect, it } from 'vitest';
import { GPU_WORKER_SETTINGS } from './config.ts';
import { memoryBudget } from './memory-budget.ts';

const GIB = 2 ** 30;
const card = (total: number, free: number) => ({ totalBytes: total * GIB, freeBytes: free * GIB });

describe('budget of device memory', () => {
  it('is what is free and what this process holds, where nothing is said', () => {
    expect(memoryBudget('', [card(80, 60)], 5 * GIB)?.bytes).toBe(65 * GIB);
    expect(memoryBudget('', [card(80, 10), card(80, 60)], 0)?.bytes).toBe(60 * GIB);
    expect(memoryBudget('', [], 5 * GIB)).toBeNull();
  });

  it.each([
    ['22GiB', 22 * GIB],
    ['22 gib', 22 * GIB],
    ['0.5GiB', GIB / 2],
    ['512MiB', GIB / 2],
    ['23622320128', 22 * GIB],
    ['50%', 40 * GIB],
  ])('is at most %s', (limit, bytes) => {
    expect(memoryBudget(limit, [card(80, 60)], 0)).toEqual({
      bytes,
      source: `GPU_MEMORY_LIMIT=${limit}`,
    });
  });

  it('is what is free where the limit is more than that', () => {
    expect(memoryBudget('100%', [card(80, 60)], GIB)).toEqual({
      bytes: 61 * GIB,
      source: 'free memory of the card',
    });
  });

  it('cannot be a share of a card of unknown size', () => {
    expect(memoryBudget('22GiB', [], 0)?.bytes).toBe(22 * GIB);
    expect(() => memoryBudget('80%', [], 0)).toThrow(/CONFIG_INVALID.*not known/);
  });

  it.each(['', '80%', '22GiB', '1.5 TiB', '1000'])('may be set to "%s"', (limit) => {
    const { GPU_MEMORY_LIMIT } = loadConfig(GPU_WORKER_SETTINGS, { GPU_MEMORY_LIMIT: limit });
    expect(GPU_MEMORY_LIMIT).toBe(limit);
  });

  it.each(['22 GB', '-1', 'all', '%'])('is refused as "%s"', (limit) => {
    expect(() => loadConfig(GPU_WORKER_SETTINGS, { GPU_MEMORY_LIMIT: limit })).toThrow(
      /CONFIG_INVALID.*GPU_MEMORY_LIMIT/,
    );
  });
});
