import { readdirSync, readFileSync } from 'node:fs';

/** Memory of one process, in bytes. */
export interface ProcessMemory {
  readonly residentBytes: number;
  /** Shared pages divided among their users; null where the kernel does not tell (another user's process). */
  readonly proportionalBytes: number | null;
  readonly swapBytes: number;
}

const KIB = 1024;

/** A field `Name:   123 kB` of a /proc file; null when it is not there. */
function kibField(text: string, name: string): number | null {
  const found = new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(text)?.[1];
  return found === undefined ? null : Number(found) * KIB;
}

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

/** Memory of a process; null when it is gone or the system has no /proc. */
export function readProcessMemory(pid: number): ProcessMemory | null {
  const status = read(`/proc/${pid}/status`);
  const residentBytes = kibField(status, 'VmRSS');
  if (residentBytes === null) return null;
  return {
    residentBytes,
    proportionalBytes: kibField(read(`/proc/${pid}/smaps_rollup`), 'Pss'),
    swapBytes: kibField(status, 'VmSwap') ?? 0,
  };
}

/** Processes that `pid` has started and that still run. */
export function childrenOf(pid: number): number[] {
  try {
    const tasks = readdirSync(`/proc/${pid}/task`);
    return tasks.flatMap((task) =>
      read(`/proc/${pid}/task/${task}/children`).split(' ').filter(Boolean).map(Number),
    );
  } catch {
    return [];
  }
}
