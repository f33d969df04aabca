import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** What systemd does with a unit, as far as a process can tell: environment, working folder, start, stop. */
export interface UnitFile {
  readonly name: string;
  readonly command: readonly string[];
  readonly workingDir: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly environmentFiles: readonly string[];
  readonly stopTimeoutMs: number;
}

/** Reads a unit of deploy/systemd, with `%i` replaced. */
export function readUnit(name: string, instance = ''): UnitFile {
  const path = fileURLToPath(new URL(`../../../deploy/systemd/${name}`, import.meta.url));
  const lines = readFileSync(path, 'utf8').replaceAll('%i', instance).split('\n');
  const values = (key: string): string[] =>
    lines.filter((line) => line.startsWith(`${key}=`)).map((line) => line.slice(key.length + 1));
  const only = (key: string): string => {
    const [value, ...others] = values(key);
    if (value === undefined || others.length > 0) throw new Error(`${name}: not one ${key}`);
    return value;
  };
  const pairs = values('Environment').flatMap((line) => line.split(' '));
  return {
    name,
    command: only('ExecStart').split(' '),
    workingDir: only('WorkingDirectory'),
    environment: Object.fromEntries(
      pairs.map((pair) => [pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1)]),
    ),
    environmentFiles: values('EnvironmentFile'),
    stopTimeoutMs: 1000 * Number(only('TimeoutStopSec')),
  };
}

/** A unit that runs, in a folder that stands for the machine. */
export class RunningUnit {
  readonly #unit: UnitFile;
  readonly #child: ChildProcess;
  #log = '';

  /** `overrides` is what the machine's environment file says. */
  constructor(unit: UnitFile, workingDir: string, overrides: Readonly<Record<string, string>>) {
    this.#unit = unit;
    const [program = '', ...args] = unit.command;
    const path = program === '/usr/bin/node' ? process.execPath : program;
    this.#child = spawn(path, args, {
      cwd: workingDir,
      env: { PATH: process.env.PATH ?? '', ...unit.environment, ...overrides },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const keep = (chunk: Buffer) => {
      this.#log += chunk.toString();
    };
    this.#child.stdout?.on('data', keep);
    this.#child.stderr?.on('data', keep);
  }

  get log(): string {
    return this.#log;
  }

  get running(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null;
  }

  /** SIGTERM, and SIGKILL after the unit's timeout, as systemd does it. Returns how it ended. */
  async stop(): Promise<{ code: number | null; signal: string | null; tookMs: number }> {
    const startedAt = performance.now();
    if (this.running) {
      const ended = new Promise((resolve) => this.#child.once('exit', resolve));
      const timer = setTimeout(() => this.#child.kill('SIGKILL'), this.#unit.stopTimeoutMs);
      this.#child.kill('SIGTERM');
      await ended;
      clearTimeout(timer);
    }
    const { exitCode: code, signalCode: signal } = this.#child;
    return { code, signal, tookMs: performance.now() - startedAt };
  }
}
