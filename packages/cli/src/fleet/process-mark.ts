import { readFileSync, rmSync, writeFileSync } from 'node:fs';

/** Marks something as this process's by a file beside it. Returns how to take the mark away. */
export function leaveMark(file: string): () => void {
  writeFileSync(file, `${process.pid} ${startOf(process.pid)}\n`);
  return () => rmSync(file, { force: true });
}

/** The process that a mark names, where it lives and is the one that made it: numbers are given out again. */
export function markedBy(file: string): number | null {
  const [pid = 0, start = ''] = markOf(file);
  if (pid === 0 || !isAlive(pid)) return null;
  const found = startOf(pid);
  return start === '' || found === '' || start === found ? pid : null;
}

function markOf(file: string): [pid: number, start: string] | [] {
  try {
    const [pid, start = ''] = readFileSync(file, 'utf8').trim().split(' ');
    return [Number(pid) || 0, start];
  } catch {
    return [];
  }
}

/** When a process began, in ticks since the machine did; empty where there is no /proc. */
function startOf(pid: number): string {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name in brackets may hold anything; behind it the start is the twentieth field.
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? '';
  } catch {
    return '';
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: it is there and belongs to somebody else.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
