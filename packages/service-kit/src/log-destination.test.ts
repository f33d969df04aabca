import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { logDestination } from './log-destination.ts';
import { canMountDisks, mountSmallDisk, unmountSmallDisks } from './testing/small-disk.ts';

const folder = mkdtempSync(join(tmpdir(), 'cuzk-log-'));
afterAll(() => {
  unmountSmallDisks();
  rmSync(folder, { recursive: true, force: true });
});

it('writes each line before it returns, in order', () => {
  const path = join(folder, 'log');
  const fd = openSync(path, 'a');
  const { write } = logDestination(fd);
  for (const line of ['a\n', 'ü\n']) write(line);
  expect(readFileSync(path, 'utf8')).toBe('a\nü\n');
  closeSync(fd);
});

it.each(['/dev/full', 'a pipe whose reader is gone'])(
  'a process whose log goes to %s goes on, and ends when it is told to',
  async (log) => {
    const url = (name: string) =>
      JSON.stringify(new URL(`../dist/${name}.js`, import.meta.url).href);
    const program = `
    const { createLogger } = await import(${url('logger')});
    const { runService } = await import(${url('run-service')});
    const logger = createLogger('test', 'info');
    await new Promise((resolve) => setTimeout(resolve, 50));
    logger.fatal('nobody hears this');
    setTimeout(() => process.kill(process.pid, 'SIGTERM'), 50);
    setInterval(() => {}, 1000);
    await runService('test', async () => ({ logger, stop: async () => {} }));`;
    const full = openSync('/dev/full', 'w');
    const stdio = log === '/dev/full' ? full : ('pipe' as const);
    const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
      stdio: ['ignore', stdio, 'inherit'],
      timeout: 8_000,
      killSignal: 'SIGKILL',
    });
    child.stdout?.destroy();
    expect(await once(child, 'exit')).toEqual([0, null]);
    closeSync(full);
  },
);

describe.skipIf(!canMountDisks())('on a disk that was full', () => {
  it('says how many lines were lost once it has room', () => {
    const disk = mountSmallDisk('64k') as string;
    const path = join(disk, 'log');
    const fd = openSync(path, 'a');
    const { write } = logDestination(fd);
    write('first\n');
    writeFileSync(join(disk, 'other'), Buffer.alloc(60 * 1024));
    for (let line = 0; line < 3; line++) write(`${'x'.repeat(5000)}\n`);
    rmSync(join(disk, 'other'));
    write('last\n');
    const lines = readFileSync(path, 'utf8').split('\n');
    expect(lines[0]).toBe('first');
    expect(lines.at(-2)).toBe('last');
    expect(lines.at(-3)).toMatch(/^{.*"lost":3,"msg":"log lines lost"}$/);
    closeSync(fd);
  });
});
