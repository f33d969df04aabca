import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { KeptProcess } from './kept-process.ts';
import { childPids, PeakMemory, peakRssBytes } from './peak-memory.ts';
import { type ProcessPlan, startProcess } from './started-process.ts';

const plan = (script: string, output: ProcessPlan['output']): ProcessPlan => ({
  name: 'test',
  command: [process.execPath, '-e', script],
  environment: {},
  output,
});
const silent = { line: () => {} };

function lineWatch() {
  const lines: string[] = [];
  let wake = (): void => {};
  const next = async (text: string): Promise<void> => {
    while (!lines.includes(text)) {
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
  };
  const line = (text: string): void => {
    lines.push(text);
    wake();
  };
  return { output: { line }, next, lines };
}

/** By /proc: one that has ended counts as ended also while nobody has asked how. */
function runs(pid: number): boolean {
  try {
    return !/\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}

describe('started processes', () => {
  it('forwards stdout and stderr line by line', async () => {
    const { output, lines } = lineWatch();
    const started = await startProcess(plan('console.log("one"); console.error("two")', output));
    expect(await started.ended).toEqual({ code: 0, signal: null });
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(lines.sort()).toEqual(['one', 'two']);
  });

  it('writes to a file that outlives this process', async () => {
    const file = join(mkdtempSync(join(tmpdir(), 'cuzk-log-')), 'log');
    const started = await startProcess(plan('console.log("kept")', { file }));
    await started.ended;
    expect(readFileSync(file, 'utf8')).toBe('kept\n');
  });

  it('stops with SIGTERM, and with SIGKILL when that is ignored', async () => {
    const polite = await startProcess(plan('setInterval(() => {}, 1000)', silent));
    expect((await polite.stop(5000)).signal).toBe('SIGTERM');
    const { output, next } = lineWatch();
    const script =
      'process.on("SIGTERM", () => {}); setInterval(() => {}, 1000); console.log("up")';
    const stubborn = await startProcess(plan(script, output));
    await next('up');
    expect((await stubborn.stop(100)).signal).toBe('SIGKILL');
  });

  it.runIf(process.platform === 'linux')(
    'leaves nothing of its group behind, which may hear of no end by itself',
    async () => {
      const { output, next, lines } = lineWatch();
      const script = `
      const { pid } = require('node:child_process').spawn('sleep', ['100'], { stdio: 'ignore' });
      console.log(pid);
      console.log('up');
      setInterval(() => {}, 1000);`;
      const started = await startProcess({
        ...plan(script, output),
        environment: { PATH: '/bin:/usr/bin' },
      });
      await next('up');
      const left = Number(lines[0]);
      expect(runs(left)).toBe(true);
      await started.stop(5000);
      for (let i = 0; i < 100 && runs(left); i++) await new Promise((r) => setTimeout(r, 20));
      expect(runs(left)).toBe(false);
    },
  );

  it('says which program is missing', async () => {
    const missing = { ...plan('', silent), command: ['/nowhere/redis-server'] as [string] };
    await expect(startProcess(missing)).rejects.toMatchObject({
      code: 'SETUP_FAILED',
      facts: { found: '/nowhere/redis-server' },
    });
  });
});

describe('kept processes', () => {
  it('starts again what ended, and not after close', async () => {
    const { output, next, lines } = lineWatch();
    const restarts: string[] = [];
    const kept = await KeptProcess.start(
      plan('console.log(process.pid); setInterval(() => {}, 1000)', output),
      {
        restarting: (name, end) => restarts.push(`${name} ${end.signal}`),
      },
    );
    const firstPid = kept.pid;
    await next(String(firstPid));
    process.kill(firstPid, 'SIGKILL');
    while (kept.pid === firstPid) await new Promise((resolve) => setTimeout(resolve, 20));
    await next(String(kept.pid));
    expect(restarts).toEqual(['test SIGKILL']);
    await kept.close(5000);
    const count = lines.length;
    await new Promise((resolve) => setTimeout(resolve, 700));
    expect(lines.length).toBe(count);
    expect(kept.lastEnd).not.toBeNull();
  });
});

describe('a kept process that cannot be started again', () => {
  it('is tried again, and takes nothing else along', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'cuzk-kept-'));
    const [program, aside] = [join(folder, 'program'), join(folder, 'aside')];
    writeFileSync(program, '#!/bin/sh\nexec sleep 100\n', { mode: 0o755 });
    const restarts: string[] = [];
    const kept = await KeptProcess.start(
      { name: 'test', command: [program], environment: { PATH: '/bin:/usr/bin' }, output: silent },
      { restarting: (_name, { code, signal }) => restarts.push(String(code ?? signal)) },
    );
    const firstPid = kept.pid;
    renameSync(program, aside);
    process.kill(firstPid, 'SIGKILL');
    while (restarts.length < 2) await new Promise((resolve) => setTimeout(resolve, 20));
    renameSync(aside, program);
    while (kept.pid === firstPid) await new Promise((resolve) => setTimeout(resolve, 20));
    await kept.close(5000);
    expect(restarts[0]).toBe('SIGKILL');
  });

  it('is not left running when it is closed while it starts', async () => {
    const { output, next, lines } = lineWatch();
    let starts = 0;
    let closed: Promise<void> | undefined;
    const kept = await KeptProcess.start(
      {
        ...plan('console.log(process.pid); setInterval(() => {}, 1000)', output),
        get environment() {
          if (++starts === 2) closed = kept.close(1000);
          return {};
        },
      },
      { restarting: () => {} },
    );
    await next(String(kept.pid));
    process.kill(kept.pid, 'SIGKILL');
    while (closed === undefined) await new Promise((resolve) => setTimeout(resolve, 5));
    await closed;
    await new Promise((resolve) => setTimeout(resolve, 300));
    const pids = new Set([...lines.map(Number), kept.pid]);
    for (const pid of pids) expect(() => process.kill(pid, 0), `process ${pid}`).toThrow('ESRCH');
  });
});

describe('what a supervisor leaves', () => {
  /** Runs a program that starts a process, says its number and goes on like this; what is left of the process. */
  async function leftBy(then: string): Promise<boolean> {
    const module = new URL('../../dist/fleet/started-process.js', import.meta.url).href;
    const program = `
      const { startProcess } = await import('${module}');
      const command = [process.execPath, '-e', 'setInterval(() => {}, 1000)'];
      const output = { file: '/dev/null' };
      const started = await startProcess({ name: 'x', command, environment: {}, output });
      console.log(started.pid);
      ${then}`;
    const { stdout } = spawnSync(process.execPath, ['--input-type=module', '-e', program], {
      encoding: 'utf8',
    });
    const pid = Number(stdout.trim());
    const gone = () => {
      try {
        process.kill(pid, 0);
        return false;
      } catch {
        return true;
      }
    };
    for (let i = 0; i < 100 && !gone(); i++) await new Promise((r) => setTimeout(r, 20));
    if (gone()) return false;
    process.kill(pid, 'SIGKILL');
    return true;
  }

  it('is nothing when it ends at once, as with a second Ctrl-C, or by an error', async () => {
    expect(await leftBy('process.exit(130);')).toBe(false);
    expect(await leftBy('throw new Error("of ours");')).toBe(false);
  });

  it('is what it has released', async () => {
    expect(await leftBy('started.release(); process.exit(0);')).toBe(true);
  });
});

describe.skipIf(process.platform !== 'linux')('peak memory', () => {
  it('finds children and keeps the largest figure of each name', async () => {
    const { output, next } = lineWatch();
    const script = `
      require('node:child_process').spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)']);
      globalThis.kept = Buffer.alloc(64 * 2 ** 20, 1);
      console.log('up');
      process.on('SIGTERM', () => { process.kill(-process.pid, 'SIGKILL'); });
      setInterval(() => {}, 1000);`;
    const started = await startProcess(plan(script, output));
    await next('up');
    expect(childPids(started.pid)).toHaveLength(1);
    const memory = new PeakMemory();
    memory.sample([started]);
    await started.stop(5000);
    memory.sample([started]);
    const peaks = memory.toObject();
    expect(peaks.test).toBeGreaterThan(64 * 2 ** 20);
    expect(peaks['test/child']).toBeGreaterThan(2 ** 20);
    expect(peakRssBytes(started.pid)).toBeNull();
  });
});
