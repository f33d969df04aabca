import { readProcessMemory } from '@cuzk/service-kit/memory/process-memory';
import { type FoundProcess, findProcesses } from './find-processes.ts';
import type { MemoryRow } from './memory-table.ts';
import { NO_LEVELS, readLevels } from './read-metrics.ts';

/** Takes a sample: one row for each process of the deployment that is alive now. */
export type MemorySampler = () => Promise<MemoryRow[]>;

/**
 * A sampler of the processes below `ancestorPid` (null: of this host). A process keeps its name from sample to
 * sample: the first of a kind has the name of its kind, others have their process id behind it.
 */
export function createMemorySampler(ancestorPid: number | null): MemorySampler {
  const names = new Map<number, string>();
  return async () => {
    const time = Date.now() / 1000;
    const found = findProcesses(ancestorPid);
    nameAll(names, found);
    const rows = await Promise.all(
      found.map((process) => rowOf(process, names.get(process.pid) ?? process.name, time)),
    );
    return rows.filter((row) => row !== null);
  };
}

/** Names new processes and forgets those that are gone: who takes the place of one takes its name as well. */
export function nameAll(names: Map<number, string>, found: readonly FoundProcess[]): void {
  const living = new Set(found.map(({ pid }) => pid));
  for (const pid of names.keys()) if (!living.has(pid)) names.delete(pid);
  const taken = new Set(names.values());
  for (const { pid, name } of found) {
    if (names.has(pid)) continue;
    const own = taken.has(name) ? `${name}#${pid}` : name;
    names.set(pid, own);
    taken.add(own);
  }
}

async function rowOf(
  found: FoundProcess,
  process: string,
  time: number,
): Promise<MemoryRow | null> {
  const { pid, name } = found;
  const memory = readProcessMemory(pid);
  if (memory === null) return null;
  const isService = name !== 'redis' && !name.includes('/');
  const levels = isService ? await readLevels(found) : NO_LEVELS;
  return { time, process, pid, ...memory, ...levels };
}
