import { availableParallelism } from 'node:os';
import { gainsFromWideVectors } from './wide-vectors.ts';

/**
 * Tells EGL, which reads its platform from the environment when Dawn opens it, that there is no display. A platform
 * that is already chosen stays.
 */
export function askForNoSurface(): void {
  process.env.EGL_PLATFORM ??= 'surfaceless';
}

/**
 * llvmpipe gives each of its threads as many workgroups of a dispatch and waits for all. With one thread a core, the
 * faster core then waits for the slower one: 1.88 of two cores were busy in an MSM, 1.94 with four threads a core and
 * no more processor time.
 */
const THREADS_PER_CORE = 4;

/** Tells llvmpipe, which reads it when Dawn opens it and has a bound of its own, how many threads to start. */
export function askForThreads(): void {
  process.env.LP_NUM_THREADS ??= String(THREADS_PER_CORE * availableParallelism());
}

/** Tells llvmpipe, which reads it when Dawn opens it, to use vectors of 512 bits where they gain something. */
export function askForWideVectors(): void {
  if (process.env.LP_NATIVE_VECTOR_WIDTH === undefined && gainsFromWideVectors()) {
    process.env.LP_NATIVE_VECTOR_WIDTH = '512';
  }
}

/** Where Mesa was told to keep what it compiles; undefined where it was not told, or is to keep nothing. */
export function mesaCacheDir(): string | undefined {
  const { MESA_SHADER_CACHE_DIR, MESA_SHADER_CACHE_DISABLE } = process.env;
  const disabled = /^(?:1|true|yes|y)$/i.test(MESA_SHADER_CACHE_DISABLE ?? '');
  return disabled ? undefined : MESA_SHADER_CACHE_DIR || undefined;
}

/**
 * Environment of a process that only compiles: LLVM goes through many small objects, which takes a tenth less time
 * where glibc has huge pages for them. A choice of the user stays.
 */
export const compileEnvironment = (): NodeJS.ProcessEnv => ({
  GLIBC_TUNABLES: 'glibc.malloc.hugetlb=1',
  ...process.env,
});
