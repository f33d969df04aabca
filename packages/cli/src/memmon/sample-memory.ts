import { readProcessMemory } from '@cuzk/service-kit/memory/process-memory';
import { type FoundProcess, findProcesses } from './find-processes.ts';
import type { MemoryRow } from './memory-table.ts';
import { NO_LEVELS, readLevels } from './read-metrics.ts';

/** One row for each process of the deployment that is alive now. */
export async function sampleMemory(ancestorPid: number | null): Promise<MemoryRow[]> {
  const time = Date.now() / 1000;
  const found = findProcesses(ancestorPid);
  const rows = await Promise.all(found.map((process) => rowOf(process, found, time)));
  return rows.filter((row) => row !== null);
}

async function rowOf(
  process: FoundProcess,
  all: readonly FoundProcess[],
  time: number,
): Promise<MemoryRow | null> {
  const { pid, name } = process;
  const memory = readProcessMemory(pid);
  if (memory === null) return null;
  const isService = name !== 'redis' && !name.includes('/');
  const levels = isService ? await readLevels(process) : NO_LEVELS;
  const alone = all.filter((other) => other.name === name).length === 1;
  return { time, process: alone ? name : `${name}#${pid}`, pid, ...memory, ...levels };
}
