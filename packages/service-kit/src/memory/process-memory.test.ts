import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { expect, it } from 'vitest';
import { childrenOf, readProcessMemory } from './process-memory.ts';

const HAS_PROC = existsSync('/proc/self/smaps_rollup');
if (!HAS_PROC) console.log('skipped: memory of processes is read from /proc, which is not here');

it.skipIf(!HAS_PROC)('memory of this process is what Node says, and its parts fit', () => {
  const ballast = Buffer.alloc(64 * 2 ** 20, 1);
  const memory = readProcessMemory(process.pid);
  const said = process.memoryUsage.rss();
  expect(Math.abs((memory?.residentBytes ?? 0) - said)).toBeLessThan(0.2 * said);
  expect(memory?.proportionalBytes ?? 0).toBeGreaterThan(ballast.length);
  expect(memory?.proportionalBytes ?? 0).toBeLessThanOrEqual(1.2 * said);
  expect(memory?.swapBytes).toBeGreaterThanOrEqual(0);
});

it.skipIf(!HAS_PROC)(
  'children are found while they live, and a process that is gone has none',
  async () => {
    const child = spawn('sleep', ['60']);
    await new Promise((resolve) => child.once('spawn', resolve));
    expect(childrenOf(process.pid)).toContain(child.pid);
    expect(readProcessMemory(child.pid ?? 0)?.residentBytes).toBeGreaterThan(0);
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.kill();
    await ended;
    expect(readProcessMemory(child.pid ?? 0)).toBeNull();
    expect(childrenOf(child.pid ?? 0)).toEqual([]);
  },
);
