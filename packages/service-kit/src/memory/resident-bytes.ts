import { readFileSync } from 'node:fs';
import { childrenOf } from './process-memory.ts';

const KIB = 1024;

/**
 * Resident bytes of this process and of those it started. Cheap enough for every two seconds, which the
 * proportional size, for which the kernel walks every page, is not.
 */
export function residentBytes(): number {
  const children = childrenOf(process.pid).map(residentBytesOf);
  return process.memoryUsage.rss() + children.reduce((sum, bytes) => sum + bytes, 0);
}

/** 0 for a process that is gone. */
function residentBytesOf(pid: number): number {
  try {
    const found = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
    return Number(found ?? 0) * KIB;
  } catch {
    return 0;
  }
}
