import { readFileSync } from 'node:fs';

/** Clock ticks of the kernel in a second; 100 on every Linux that Node runs on. */
const TICKS = 100;

/** Processor seconds that a process has used so far, in user and kernel mode. Throws when it is gone. */
export function processorSeconds(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /, '')
    .split(' ');
  return (Number(fields[11]) + Number(fields[12])) / TICKS;
}
