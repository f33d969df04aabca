import { fork } from 'node:child_process';
import { createHash } from 'node:crypto';
import { accessSync, constants, existsSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { batchesFor } from '../curve/pair-tree-kernels.ts';
import { compileEnvironment, mesaCacheDir } from '../device/config.ts';
import type { DeviceTraits } from '../device/context.ts';
import { readKernel } from '../device/device.ts';
import type { KernelSpec } from '../device/kernel.ts';
import { isLlvmpipe } from '../device/llvmpipe.ts';
import type { DeviceKey } from './device-store.ts';

/** What was compiled before a device was used. */
export interface CompiledAhead {
  readonly pipelines: number;
  readonly processes: number;
  readonly seconds: number;
  /** Of all processes together, as far as they have told. */
  readonly processorSeconds: number;
}

/** What compile-child.ts answers to a kernel. */
export interface CompileAnswer {
  readonly compiled: boolean;
  /** Of its process until now. */
  readonly processorSeconds: number;
}

export interface CompileOptions {
  /** Told when it begins, and of every kernel: how many are done, of how many. */
  readonly onCompiled?: ((done: number, all: number) => void) | undefined;
  /** Told of a kernel when its process has begun the next one, so that the driver has had time to keep it. */
  readonly onKept?: ((spec: KernelSpec) => void) | undefined;
  /** In their order. */
  readonly specs?: readonly KernelSpec[];
  readonly limitMs?: number;
  /** Another program than compile-child.ts, for tests. */
  readonly childPath?: string;
}

/** The slowest kernel takes a quarter of the time of all: with more processes nothing ends earlier. */
const MOST_PROCESSES = 4;
/** Less than a device process may be without news, and six times what two cores take. */
const LIMIT_MS = 90_000;
/** The same file in src/ (tests run it after a build) and in dist/. */
const CHILD_PATH = fileURLToPath(new URL('../../dist/startup/compile-child.js', import.meta.url));

/** Every pipeline that parameters and proofs need on this software adapter, those that take longest first. */
export function softwarePipelines(traits: DeviceTraits): readonly KernelSpec[] {
  const listed = JSON.parse(readKernel('generated/software-pipelines.json')) as KernelSpec[];
  return listed.map(batchesFor(traits));
}

/**
 * Mesa's software adapters compile a kernel at its first dispatch, on one thread. Where its folder of compiled kernels
 * has not seen these kernels yet, processes compile all of them into it side by side, so that whoever dispatches them
 * afterwards finds them there; a mark in the folder says that it was done. What such a process leaves out, because it
 * died or was killed when the time was up, is compiled at its first dispatch as ever. Null where nothing was started.
 */
export async function compileAhead(
  traits: DeviceTraits,
  key: DeviceKey,
  options: CompileOptions = {},
): Promise<CompiledAhead | null> {
  const folder = mesaCacheDir();
  if (!isLlvmpipe(traits) || folder === undefined) return null;
  const { specs = softwarePipelines(traits), limitMs = LIMIT_MS, childPath = CHILD_PATH } = options;
  const markPath = join(folder, markOf(key, specs));
  if (existsSync(markPath) || !isWritable(folder)) return null;
  const startedAt = performance.now();
  const waiting = specs.values();
  const limit = AbortSignal.timeout(limitMs);
  const processes = Math.min(availableParallelism(), MOST_PROCESSES, specs.length);
  let pipelines = 0;
  options.onCompiled?.(0, specs.length);
  const news: CompileNews = {
    onCompiled: () => {
      pipelines += 1;
      options.onCompiled?.(pipelines, specs.length);
    },
    onKept: (spec) => options.onKept?.(spec),
  };
  const spent = await Promise.all(
    Array.from({ length: processes }, () => compileFrom(waiting, childPath, limit, news)),
  );
  leaveMark(markPath);
  return {
    pipelines,
    processes,
    seconds: (performance.now() - startedAt) / 1000,
    processorSeconds: spent.reduce((sum, seconds) => sum + seconds, 0),
  };
}

function markOf(key: DeviceKey, specs: readonly KernelSpec[]): string {
  const hash = createHash('sha256')
    .update(JSON.stringify([key, specs]))
    .digest('hex');
  return `cuzk-compiled-${hash.slice(0, 32)}`;
}

function isWritable(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

function leaveMark(path: string): void {
  try {
    writeFileSync(path, '');
  } catch {
    // done again at the next start, which then finds everything compiled
  }
}

interface CompileNews {
  onCompiled(): void;
  onKept(spec: KernelSpec): void;
}

/**
 * One process, which takes from `waiting` until that is empty, `limit` is reached or it dies; its processor seconds.
 */
function compileFrom(
  waiting: Iterator<KernelSpec, undefined>,
  childPath: string,
  limit: AbortSignal,
  news: CompileNews,
): Promise<number> {
  return new Promise((resolve) => {
    let processorSeconds = 0;
    let compiling: KernelSpec | undefined;
    let compiledLast: KernelSpec | undefined;
    const child = fork(childPath, [], {
      env: compileEnvironment(),
      execArgv: [],
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    });
    const kill = (): void => {
      child.kill('SIGKILL');
    };
    const end = (): void => {
      limit.removeEventListener('abort', kill);
      resolve(processorSeconds);
    };
    const next = (): void => {
      compiling = waiting.next().value;
      if (compiling === undefined) child.disconnect();
      else child.send(compiling, () => {});
    };
    limit.addEventListener('abort', kill, { once: true });
    child.on('error', end);
    // it has no more to do, or is gone
    child.on('disconnect', end);
    child.on('message', (answer) => {
      const { compiled, processorSeconds: untilNow } = answer as CompileAnswer;
      processorSeconds = untilNow;
      const done = compiling;
      next();
      if (compiled) news.onCompiled();
      if (compiledLast !== undefined) news.onKept(compiledLast);
      compiledLast = compiled ? done : undefined;
    });
    next();
  });
}
