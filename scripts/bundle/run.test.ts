import { execFile, execFileSync, spawnSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

const RUN = fileURLToPath(new URL('run.sh', import.meta.url));
const PATH = '/usr/bin:/bin';
const hasXz = spawnSync('xz', ['--version'], { env: { PATH } }).status === 0;
const hasGpu = existsSync('/dev/nvidia0') || existsSync('/dev/dri');
const ready = process.platform === 'linux' && hasXz && !hasGpu;
if (!ready) {
  console.log(
    'skipped: run.sh of the bundle needs Linux, xz, and no GPU that it would install for',
  );
}

/** A folder with run.sh; its archive holds a `node` that says `version`, its arguments, Redis and folder. */
function bundle(): { folder: string; pack(version: string): void } {
  const folder = mkdtempSync(join(tmpdir(), 'cuzk-bundle-'));
  cpSync(RUN, join(folder, 'run.sh'));
  const pack = (version: string): void => {
    const stage = mkdtempSync(join(tmpdir(), 'cuzk-stage-'));
    for (const part of ['bin', 'deb', 'redis', 'packages/cli/bin']) {
      mkdirSync(join(stage, part), { recursive: true });
    }
    const node = join(stage, 'bin/node');
    writeFileSync(node, `#!/bin/sh\necho "${version} $REDIS_SERVER_BIN $(pwd) $@"\n`);
    chmodSync(node, 0o755);
    const archive = join(folder, 'cuzk-gpu-host.tar.xz');
    execFileSync('tar', ['-C', stage, '-cJf', archive, '.']);
    // Coarse clocks: what was packed later must be newer.
    const at = Date.now() / 1000 + (version === 'first' ? -60 : 60);
    utimesSync(archive, at, at);
  };
  pack('first');
  return { folder, pack };
}

/** Gives the archive a date, in seconds from now. */
function dateArchive(folder: string, seconds: number): void {
  const at = Date.now() / 1000 + seconds;
  utimesSync(join(folder, 'cuzk-gpu-host.tar.xz'), at, at);
}

/** Runs it elsewhere, with an environment that has next to nothing. */
function start(folder: string, ...args: string[]): string {
  const env = { HOME: folder, PATH };
  return execFileSync(join(folder, 'run.sh'), args, { cwd: '/', env, encoding: 'utf8' }).trim();
}

it.skipIf(!ready)('run.sh starts cuzk of the archive, with its Redis, where it was called', () => {
  const { folder } = bundle();
  const redis = `${folder}/app/redis/run`;
  const cuzk = `${folder}/app/packages/cli/bin/cuzk.mjs`;
  expect(start(folder)).toBe(`first ${redis} / ${cuzk} serve`);
  expect(start(folder, 'doctor', '--json')).toBe(`first ${redis} / ${cuzk} doctor --json`);
  expect(start(folder, 'node', '-e', '1')).toBe(`first ${redis} / -e 1`);
});

it.skipIf(!ready)('run.sh unpacks a newer archive in place of the old one', () => {
  const { folder, pack } = bundle();
  expect(start(folder)).toMatch(/^first /);
  pack('second');
  expect(start(folder)).toMatch(/^second /);
});

it.skipIf(!ready)('run.sh unpacks an archive once, whatever the clock of the host says', () => {
  const { folder } = bundle();
  dateArchive(folder, 3600);
  start(folder);
  const mark = join(folder, 'app/mark');
  writeFileSync(mark, '');
  start(folder);
  expect(existsSync(mark)).toBe(true);
  dateArchive(folder, 7200);
  start(folder);
  expect(existsSync(mark)).toBe(false);
});

it.skipIf(!ready)('run.sh may be started several times at once, and by a link', async () => {
  const { folder } = bundle();
  const link = join(folder, 'elsewhere');
  mkdirSync(link);
  symlinkSync(join(folder, 'run.sh'), join(link, 'cuzk'));
  const env = { HOME: folder, PATH };
  const run = promisify(execFile);
  const starts = await Promise.all(
    Array.from({ length: 6 }, () => run(join(link, 'cuzk'), ['doctor'], { cwd: '/', env })),
  );
  for (const { stdout } of starts) expect(stdout).toMatch(/^first .* doctor$/m);
  const parts = ['.unpacked', 'bin', 'deb', 'packages', 'redis'];
  expect(readdirSync(join(folder, 'app')).toSorted()).toEqual(parts);
});
