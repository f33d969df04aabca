import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CliConfig } from '../config.ts';
import { System } from '../fleet/system.ts';

/** A 32 GiB SRS from a slow disk, with its digest checked for the first time, takes this long at most. */
const READY_TIMEOUT_MS = 60 * 60_000;
const SAMPLE_MS = 1000;

export interface OwnSystemOptions {
  readonly signal: AbortSignal;
  onLine(line: string): void;
}

/** What a measurement on a system of our own leaves behind. */
export interface OwnSystemOutcome<T> {
  readonly value: T;
  /** Start of the first process to ready. */
  readonly readySeconds: number;
  /** VmHWM by process, after the measurement. */
  readonly peakRssBytes: Readonly<Record<string, number>>;
}

/**
 * Starts the whole system in a folder of its own, waits until it is ready, hands it to `measure`, stops it. The
 * folder is removed afterwards, and kept after a failure for its logs.
 */
export async function withOwnSystem<T>(
  config: CliConfig,
  { signal, onLine }: OwnSystemOptions,
  measure: (system: System) => Promise<T>,
): Promise<OwnSystemOutcome<T>> {
  const folder = mkdtempSync(join(tmpdir(), 'cuzk-bench-'));
  const startedAt = performance.now();
  onLine('starting Redis, API, synth-worker and gpu-worker');
  try {
    const outcome = await runSystem(config, folder, startedAt, { signal, onLine }, measure);
    rmSync(folder, { recursive: true, force: true });
    return outcome;
  } catch (error) {
    onLine(`the logs of all processes are in ${join(folder, 'logs')}`);
    throw error;
  }
}

async function runSystem<T>(
  config: CliConfig,
  folder: string,
  startedAt: number,
  { signal, onLine }: OwnSystemOptions,
  measure: (system: System) => Promise<T>,
): Promise<OwnSystemOutcome<T>> {
  const system = await System.start({
    config,
    folder,
    output: (name) => ({ file: join(folder, 'logs', `${name}.log`) }),
    onEvent: onLine,
  });
  const sampling = setInterval(() => system.sampleMemory(), SAMPLE_MS);
  try {
    await system.ready({ timeoutMs: READY_TIMEOUT_MS, signal, onReason: onLine });
    const readySeconds = (performance.now() - startedAt) / 1000;
    onLine(`ready after ${readySeconds.toFixed(1)} s`);
    const value = await measure(system);
    system.sampleMemory();
    return { value, readySeconds, peakRssBytes: system.memory.toObject() };
  } finally {
    clearInterval(sampling);
    onLine('stopping what was started');
    await system.close();
  }
}
