import { readdirSync, readFileSync } from 'node:fs';

/**
 * Largest resident set of a process so far (VmHWM), in bytes; null when it is gone or the system has no /proc.
 * The kernel keeps the figure, so one late reading is as good as many.
 */
export const peakRssBytes = (pid: number): number | null => statusBytes(pid, 'VmHWM');

/** Resident set of a process now, in bytes; null as peakRssBytes. */
export const rssBytes = (pid: number): number | null => statusBytes(pid, 'VmRSS');

function statusBytes(pid: number, field: 'VmHWM' | 'VmRSS'): number | null {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    const kib = new RegExp(`^${field}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1];
    return kib === undefined ? null : Number(kib) * 1024;
  } catch {
    return null;
  }
}

/** Processes that `pid` has started and that still run. */
export function childPids(pid: number): number[] {
  try {
    return readdirSync(`/proc/${pid}/task`).flatMap((task) =>
      readFileSync(`/proc/${pid}/task/${task}/children`, 'utf8')
        .split(' ')
        .filter(Boolean)
        .map(Number),
    );
  } catch {
    return [];
  }
}

/**
 * Peaks of named processes and of their children (`<name>/child`), kept over restarts: a later process of the
 * same name can only raise the figure.
 */
export class PeakMemory {
  readonly #peaks = new Map<string, number>();

  /** Takes a reading of each process that is still there. */
  sample(processes: Iterable<{ readonly name: string; readonly pid: number }>): void {
    for (const { name, pid } of processes) {
      this.#raise(name, peakRssBytes(pid));
      for (const child of childPids(pid)) this.#raise(`${name}/child`, peakRssBytes(child));
    }
  }

  toObject(): Record<string, number> {
    return Object.fromEntries(this.#peaks);
  }

  #raise(name: string, bytes: number | null): void {
    if (bytes !== null) this.#peaks.set(name, Math.max(bytes, this.#peaks.get(name) ?? 0));
  }
}
