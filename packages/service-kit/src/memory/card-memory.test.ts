import { chmodSync, mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { readCardMemory } from './card-memory.ts';

const MIB = 2 ** 20;
const folder = (): string => mkdtempSync(join(tmpdir(), 'cuzk-cards-'));

/** A program that prints like nvidia-smi and checks what it is asked. */
function smi(...lines: string[]): string {
  const file = join(folder(), 'nvidia-smi');
  const print = lines.map((line) => `echo "${line}"`).join('\n');
  writeFileSync(
    file,
    `#!/bin/sh\n[ "$1" = --query-gpu=memory.total,memory.free ] || exit 1\n${print}\n`,
  );
  chmodSync(file, 0o755);
  return file;
}

it('reads every card that nvidia-smi lists, and leaves out what it does not know', () => {
  const program = smi('143771, 143000', '24564, 1024', '[N/A], [N/A]');
  expect(readCardMemory(['/no/such/program', program], folder())).toEqual([
    { totalBytes: 143_771 * MIB, freeBytes: 143_000 * MIB },
    { totalBytes: 24_564 * MIB, freeBytes: 1024 * MIB },
  ]);
});

it('reads the files of amdgpu where there is no nvidia-smi', () => {
  const drm = folder();
  const device = join(drm, 'card1', 'device');
  mkdirSync(device, { recursive: true });
  mkdirSync(join(drm, 'card0', 'device'), { recursive: true });
  mkdirSync(join(drm, 'card1-HDMI-A-1'));
  writeFileSync(join(device, 'mem_info_vram_total'), '17163091968\n');
  writeFileSync(join(device, 'mem_info_vram_used'), '1000000\n');
  expect(readCardMemory(['/no/such/program'], drm)).toEqual([
    { totalBytes: 17_163_091_968, freeBytes: 17_162_091_968 },
  ]);
});

it('knows nothing where there is neither', () => {
  expect(readCardMemory(['/no/such/program'], '/no/such/folder')).toEqual([]);
});
