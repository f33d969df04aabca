import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { CuzkError } from '@cuzk/core/errors';

export interface ProcessPlan {
  readonly name: string;
  /** Program and arguments. */
  readonly command: readonly [string, ...string[]];
  readonly environment: Readonly<Record<string, string>>;
  readonly workingDir?: string;
  /** A file to append to, or a function for each line; both get stdout and stderr. */
  readonly output: { readonly file: string } | { readonly line: (text: string) => void };
}

export interface ProcessEnd {
  readonly code: number | null;
  readonly signal: string | null;
}

export interface StartedProcess {
  readonly name: string;
  readonly pid: number;
  /** Settles once, when the process has ended. */
  readonly ended: Promise<ProcessEnd>;
  hasEnded(): boolean;
  /** SIGTERM, then SIGKILL for one that is still there after `graceMs`. Resolves when it is gone. */
  stop(graceMs: number): Promise<ProcessEnd>;
  /** Lets this process end while the other one goes on. Only where its output goes to a file. */
  release(): void;
}

/** Processes that end with this one, however it ends but by SIGKILL. */
const ownChildren = new Set<ChildProcess>();
process.on('exit', () => {
  for (const child of ownChildren) child.kill('SIGTERM');
});

/**
 * Starts a process in a group of its own: Ctrl-C in a terminal must reach the supervisor alone, which then stops
 * the others in order. What it leaves in its group when it ends is killed. Errors: SETUP_FAILED when there is no such
 * program.
 */
export async function startProcess(plan: ProcessPlan): Promise<StartedProcess> {
  const [program, ...args] = plan.command;
  const file = 'file' in plan.output ? openSync(plan.output.file, 'a') : null;
  const child = spawn(program, args, {
    cwd: plan.workingDir,
    env: plan.environment,
    detached: true,
    stdio: file === null ? ['ignore', 'pipe', 'pipe'] : ['ignore', file, file],
  });
  if (file !== null) closeSync(file);
  if ('line' in plan.output) forwardLines(child, plan.output.line);
  let hasEnded = false;
  const ended = new Promise<ProcessEnd>((resolve) => {
    child.once('exit', (code, signal) => {
      hasEnded = true;
      ownChildren.delete(child);
      killGroup(child.pid);
      resolve({ code, signal });
    });
  });
  try {
    await once(child, 'spawn');
  } catch (error) {
    throw new CuzkError('SETUP_FAILED', `${plan.name} does not start`, { found: program }, error);
  }
  if (!hasEnded) ownChildren.add(child);
  return {
    name: plan.name,
    // Set on every child that was spawned.
    pid: child.pid ?? 0,
    ended,
    hasEnded: () => hasEnded,
    stop: (graceMs) => stopChild(child, ended, graceMs),
    release: () => {
      ownChildren.delete(child);
      child.unref();
    },
  };
}

/** A process that compiles hears of nothing for seconds, so that the next run would find it in its folder. */
function killGroup(id: number | undefined): void {
  try {
    if (id !== undefined) process.kill(-id, 'SIGKILL');
  } catch {
    // nothing is left of it
  }
}

async function stopChild(
  child: ChildProcess,
  ended: Promise<ProcessEnd>,
  graceMs: number,
): Promise<ProcessEnd> {
  child.kill('SIGTERM');
  const timer = new AbortController();
  const late = delay(graceMs, 'late' as const, { signal: timer.signal }).catch(
    () => 'late' as const,
  );
  const first = await Promise.race([ended, late]);
  timer.abort();
  if (first === 'late') child.kill('SIGKILL');
  return ended;
}

function forwardLines(child: ChildProcess, line: (text: string) => void): void {
  for (const stream of [child.stdout, child.stderr]) {
    if (stream !== null) createInterface({ input: stream }).on('line', line);
  }
}
