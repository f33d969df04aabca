import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { GpuContext } from '@cuzk/gpu/device/context';
import type { CompiledAhead } from '@cuzk/gpu/startup/compile-ahead';
import { driverCaches } from '@cuzk/service-kit/circuits/driver-caches';
import type { CliConfig } from '../../config.ts';
import { runSelf } from '../../demo/run-self.ts';
import { openMachineProver } from '../../open-machine-prover.ts';
import { proveSmallCircuit } from '../../small-proof.ts';
import { fourDigits, type KernelResult } from './kernel-result.ts';
import { timeScaled } from './time-scaled.ts';

/** What a new process shows of its kernels. */
export interface FirstDispatches {
  readonly adapter: string;
  /** What processes compiled before the device was used; null where the driver had kept it. */
  readonly ahead: CompiledAhead | null;
  readonly selfTestSeconds: number;
  readonly pipelines: number;
  /** Parameters and proof of a small circuit, all kernels new to this process, and once more. */
  readonly firstSeconds: number;
  readonly secondSeconds: number;
  /** What was compiled ahead, and what the first time took longer than the second. */
  readonly compileSeconds: number;
  readonly verified: boolean;
}

/** Goals on two cores of the reference machine (time-scaled.ts). */
const RUNS = [
  { name: 'first dispatches, none kept', goalSeconds: 20 },
  { name: 'first dispatches, kept by the driver', goalSeconds: 2 },
];
/**
 * What kernels take until they have been dispatched once: opens this machine's device as every command does, and makes
 * parameters and a proof of a small circuit twice.
 */
export async function measureFirstDispatches(
  config: CliConfig,
  onLine: (line: string) => void,
): Promise<FirstDispatches> {
  const prover = await openMachineProver(config, onLine);
  try {
    const { context, selfTestReport, compiledAhead } = prover;
    const first = await proveSmallCircuit(context);
    const second = await proveSmallCircuit(context);
    const later = Math.max(0, first.seconds - second.seconds);
    return {
      adapter: context.traits.description,
      ahead: compiledAhead,
      selfTestSeconds: fourDigits(selfTestReport.seconds),
      pipelines: context.kernels.compiled.count,
      firstSeconds: first.seconds,
      secondSeconds: second.seconds,
      compileSeconds: fourDigits((compiledAhead?.seconds ?? 0) + later),
      verified: first.verified && second.verified,
    };
  } finally {
    prover.close();
  }
}

/**
 * First dispatches in two processes, the first with an empty folder for compiled kernels, the second with what it left.
 * `context` is of the same adapter: on one in software goals scale with the multiplier before and after each.
 */
export async function timeFirstDispatches(
  { environment }: Pick<CliConfig, 'environment'>,
  context: GpuContext,
  { signal, onLine }: { readonly signal: AbortSignal; onLine(line: string): void },
): Promise<KernelResult[]> {
  const cacheDir = await mkdtemp(join(tmpdir(), 'cuzk-kernels-'));
  const options = {
    environment: { ...environment, ...driverCaches(cacheDir), CUZK_CACHE_DIR: cacheDir },
    signal,
    onLine,
  };
  try {
    const results: KernelResult[] = [];
    for (const { name, goalSeconds } of RUNS) {
      const run = () => runSelf(['bench', 'first-dispatches', '--here'], options);
      const { result, figures } = await timeScaled(context, run, goalSeconds);
      results.push(resultOf(name, result as unknown as FirstDispatches, figures));
    }
    return results;
  } finally {
    await rm(cacheDir, { recursive: true, force: true });
  }
}

function resultOf(
  name: string,
  report: FirstDispatches,
  // of this process, which only waits
  { processorSeconds: _, ...goal }: Readonly<Record<string, number>>,
): KernelResult {
  const { ahead, selfTestSeconds, pipelines, firstSeconds, secondSeconds, verified } = report;
  const aheadFigures =
    ahead === null
      ? {}
      : {
          aheadSeconds: fourDigits(ahead.seconds),
          aheadProcessorSeconds: fourDigits(ahead.processorSeconds),
          aheadProcesses: ahead.processes,
        };
  return {
    name,
    deviceSeconds: null,
    wallSeconds: report.compileSeconds,
    repeats: 1,
    figures: { ...goal, ...aheadFigures, firstSeconds, secondSeconds, pipelines, selfTestSeconds },
    checked: 'two proofs by the verifier',
    passed: verified,
  };
}
