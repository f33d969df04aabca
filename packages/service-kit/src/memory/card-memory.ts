import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Memory of one graphics card, in bytes. */
export interface CardMemory {
  readonly totalBytes: number;
  readonly freeBytes: number;
}

const MIB = 2 ** 20;
const SMI_TIMEOUT_MS = 10_000;
/** Containers get NVIDIA's programs in a folder that is not on PATH. */
const SMI_PROGRAMS = ['nvidia-smi', '/usr/local/nvidia/bin/nvidia-smi'];
const DRM = '/sys/class/drm';

/**
 * Memory of the cards of this machine, which WebGPU does not tell: by nvidia-smi, or by amdgpu's files. Empty where
 * neither is there. The arguments are for tests.
 */
export function readCardMemory(programs = SMI_PROGRAMS, drm = DRM): CardMemory[] {
  for (const program of programs) {
    const { status, stdout } = spawnSync(
      program,
      ['--query-gpu=memory.total,memory.free', '--format=csv,noheader,nounits'],
      { encoding: 'utf8', timeout: SMI_TIMEOUT_MS },
    );
    if (status === 0) return parseSmi(stdout);
  }
  return readAmdgpu(drm);
}

/** One line a card: `143771, 143000`, in MiB. */
const parseSmi = (text: string): CardMemory[] =>
  text.split('\n').flatMap((line) => {
    const [total, free] = line.split(',').map((field) => Number(field.trim()) * MIB);
    const known = total !== undefined && free !== undefined && total > 0 && free >= 0;
    return known ? [{ totalBytes: total, freeBytes: free }] : [];
  });

function readAmdgpu(drm: string): CardMemory[] {
  const cards = namesIn(drm).filter((name) => /^card\d+$/.test(name));
  return cards.flatMap((card) => {
    const [total, used] = ['mem_info_vram_total', 'mem_info_vram_used'].map((file) =>
      readNumber(join(drm, card, 'device', file)),
    );
    if (total === undefined || used === undefined || !(total > 0) || !(used >= 0)) return [];
    return [{ totalBytes: total, freeBytes: total - used }];
  });
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/** NaN where there is no such file. */
function readNumber(path: string): number {
  try {
    return Number.parseInt(readFileSync(path, 'utf8'), 10);
  } catch {
    return Number.NaN;
  }
}
