import { readFileSync } from 'node:fs';
import { availableParallelism, totalmem } from 'node:os';

const CGROUP_LIMITS = ['/sys/fs/cgroup/memory.max', '/sys/fs/cgroup/memory/memory.limit_in_bytes'];

/** Memory this process may use: the container's limit, or the machine's memory. */
export function availableMemoryBytes(): number {
  const limits = CGROUP_LIMITS.map(readNumber).filter((limit) => limit > 0);
  return Math.min(totalmem(), ...limits);
}

/** 0 for an absent file and for "max". */
function readNumber(path: string): number {
  try {
    const value = Number(readFileSync(path, 'utf8').trim());
    return Number.isFinite(value) ? value : 0;
  } catch {
    return 0;
  }
}

/** Partitions to synthesize at once when nothing is configured: one core stays for the loop. */
export const defaultSynthThreads = (): number => Math.max(1, availableParallelism() - 1);
