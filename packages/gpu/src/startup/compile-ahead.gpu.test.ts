import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { DeviceTraits } from '../device/context.ts';
import { openDevice } from '../device/device.ts';
import type { KernelSpec } from '../device/kernel.ts';
import { compileAhead, softwarePipelines } from './compile-ahead.ts';

const programOf = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
const CHILD = programOf('../../dist/startup/compile-child.js');
const UNSTEADY = programOf('../testing/unsteady-compile-child.mjs');
const key = { adapter: 'llvmpipe', kernels: 'a digest' };
const named = (file: string): KernelSpec => ({ file, bindings: 'r', workgroupSize: 1 });

describe('compiling ahead', () => {
  const before = process.env.MESA_SHADER_CACHE_DIR;
  let folder = '';
  let traits: DeviceTraits;
  /** Those that take least. */
  let few: readonly KernelSpec[] = [];
  beforeEach(async () => {
    const opened = await openDevice('software');
    traits = opened.context.traits;
    opened.close();
    few = softwarePipelines(traits).slice(-4);
    folder = mkdtempSync(join(tmpdir(), 'cuzk-ahead-'));
    process.env.MESA_SHADER_CACHE_DIR = folder;
  });
  afterEach(() => {
    if (before === undefined) delete process.env.MESA_SHADER_CACHE_DIR;
    else process.env.MESA_SHADER_CACHE_DIR = before;
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  });
  const files = (): string[] => readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort();
  const mark = (): string | undefined => files().find((name) => name.startsWith('cuzk-compiled-'));

  it('leaves every kernel in the folder of the driver, where the next process finds it', async () => {
    const news: number[] = [];
    const onCompiled = (done: number, all: number) => news.push(done / all);
    const told: KernelSpec[] = [];
    const onKept = (spec: KernelSpec) => told.push(spec);
    const ahead = await compileAhead(traits, key, { specs: few, onCompiled, onKept });
    // but for the last one of each process
    expect(told.length).toBeGreaterThanOrEqual(few.length - (ahead?.processes ?? 0));
    expect(few).toEqual(expect.arrayContaining(told));
    expect(ahead?.processorSeconds).toBeGreaterThan(0);
    expect(news).toEqual([0, 0.25, 0.5, 0.75, 1]);
    expect(ahead?.pipelines).toBe(few.length);
    expect(ahead?.processes).toBe(Math.min(availableParallelism(), 4));
    await settled();
    const kept = files();
    expect(mark()).toBeDefined();
    expect(kept.length).toBeGreaterThan(few.length);

    expect(await compileAhead(traits, key, { specs: few })).toBeNull();
    rmSync(join(folder, mark() ?? ''));
    expect((await compileAhead(traits, key, { specs: few }))?.pipelines).toBe(few.length);
    await settled();
    expect(files()).toEqual(kept);

    const other = softwarePipelines(traits).slice(-5, -4);
    expect((await compileAhead(traits, key, { specs: other }))?.pipelines).toBe(1);
    await settled();
    expect(files().length).toBeGreaterThan(kept.length + 1);
  });

  /** What the processes still had to write when the last kernel was compiled. */
  const settled = async (): Promise<void> => {
    for (let same = 0, last = ''; same < 6; ) {
      await new Promise((resolve) => setTimeout(resolve, 100));
      const now = files().join();
      same = now === last ? same + 1 : 0;
      last = now;
    }
  };

  it('goes on without a process that dies, and kills one that hangs when the time is up', async () => {
    const dying = ['a', 'dies', 'b', 'c', 'd'].map(named);
    const left = await compileAhead(traits, key, { specs: dying, childPath: UNSTEADY });
    if (availableParallelism() > 1) expect(left?.pipelines).toBe(4);
    expect(mark()).toBeDefined();

    const hanging = ['hangs', 'hangs', 'a'].map(named);
    const startedAt = performance.now();
    const options = { specs: hanging, childPath: UNSTEADY, limitMs: 1_500 };
    const killed = await compileAhead(traits, key, options);
    expect(killed?.pipelines).toBeLessThan(2);
    expect(performance.now() - startedAt).toBeLessThan(10_000);
    expect(performance.now() - startedAt).toBeGreaterThan(1_400);

    const missing = { specs: few, childPath: join(folder, 'nowhere.js') };
    expect((await compileAhead(traits, key, missing))?.pipelines).toBe(0);
  });

  it('answers that a kernel does not compile, and ends when it is left alone', async () => {
    const child = fork(CHILD, [], { execArgv: [], stdio: ['ignore', 'ignore', 'ignore', 'ipc'] });
    const answers: unknown[] = [];
    for (const spec of [named('field/gone.wgsl'), few[0]]) {
      child.send(spec as KernelSpec);
      answers.push((await once(child, 'message'))[0].compiled);
    }
    expect(answers).toEqual([false, true]);
    child.disconnect();
    expect(await once(child, 'exit')).toEqual([0, null]);
  });

  it('starts nothing for hardware, other rasterisers, and where the driver keeps nothing', async () => {
    const start = (changed: Partial<DeviceTraits> = {}) =>
      compileAhead({ ...traits, ...changed }, key, { specs: [named('a')], childPath: UNSTEADY });
    expect(await start({ software: false })).toBeNull();
    expect(await start({ description: 'SwiftShader' })).toBeNull();
    process.env.MESA_SHADER_CACHE_DIR = join(folder, 'not-there');
    expect(await start()).toBeNull();
    process.env.MESA_SHADER_CACHE_DIR = folder;
    process.env.MESA_SHADER_CACHE_DISABLE = 'true';
    expect(await start()).toBeNull();
    delete process.env.MESA_SHADER_CACHE_DISABLE;
    expect((await start())?.pipelines).toBe(1);
  });
});
