import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, it } from 'vitest';

const LAUNCHER = fileURLToPath(new URL('../../bin/cuzk.mjs', import.meta.url));
const full = openSync('/dev/full', 'w');
afterAll(() => closeSync(full));

/** Exit code and what can be read of both outputs. */
async function plan(stdout: number | 'pipe', stderr: number | 'pipe') {
  const args = [LAUNCHER, 'plan', '--sector', '2KiB', '--gpu-memory', '80GiB', '--json'];
  const child = spawn(process.execPath, args, { stdio: ['ignore', stdout, stderr] });
  const read = (stream: typeof child.stdout) => (stream === null ? '' : text(stream));
  const [result, progress, [code]] = await Promise.all([
    read(child.stdout),
    read(child.stderr),
    once(child, 'exit'),
  ]);
  return { result, progress, code };
}

it('progress that its disk does not take stops nothing', async () => {
  const { result, code } = await plan('pipe', full);
  expect([JSON.parse(result).sector, code]).toEqual(['2KiB', 0]);
});

it('a result that its disk does not take ends with 1 and a line that says so', async () => {
  const { progress, code } = await plan(full, 'pipe');
  expect(progress.trim().split('\n').at(-1)).toBe('the result could not be written (ENOSPC)');
  expect(code).toBe(1);
});
