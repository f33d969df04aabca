import { readdirSync, readFileSync } from 'node:fs';

/**
 * From this version on llvmpipe gains from vectors of 512 bits, which it does not take by itself: an MSM of 2^18 takes
 * 0.65 of the processor time in 26.1 (LLVM 21). 22.3 moves every lane by itself, which takes 1.45 times as long.
 */
const LEAST_MAJOR = 26;

/** Where distributions keep Mesa, whose library has its version in its name: libgallium-26.1.6-1.so. */
const LIBRARY_FOLDERS = [
  '/usr/lib/x86_64-linux-gnu',
  '/usr/lib64',
  '/usr/lib',
  '/usr/local/lib/x86_64-linux-gnu',
  '/usr/local/lib64',
  '/usr/local/lib',
];

/** The parts of AVX-512 that vectors of 32-bit words need. */
const PROCESSOR_FLAGS = ['avx512f', 'avx512bw', 'avx512dq', 'avx512vl'];

/** True where llvmpipe should have vectors of 512 bits: this processor has them, and every Mesa found is new enough. */
export function gainsFromWideVectors(): boolean {
  if (process.arch !== 'x64') return false;
  return hasWideVectors(processorText()) && isNewMesa(LIBRARY_FOLDERS.flatMap(filesOf));
}

/** True where the text of /proc/cpuinfo shows them. */
export function hasWideVectors(processors: string): boolean {
  const flags = new Set(/^flags\s*:(.*)$/m.exec(processors)?.[1].split(/\s+/));
  return PROCESSOR_FLAGS.every((flag) => flags.has(flag));
}

/** True where names of libraries show a Mesa, and none that is too old. */
export function isNewMesa(libraries: readonly string[]): boolean {
  const majors = libraries.flatMap((name) => /^libgallium-(\d+)\./.exec(name)?.slice(1) ?? []);
  return majors.length > 0 && majors.every((major) => Number(major) >= LEAST_MAJOR);
}

function processorText(): string {
  try {
    return readFileSync('/proc/cpuinfo', 'utf8');
  } catch {
    return '';
  }
}

function filesOf(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
