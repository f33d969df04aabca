import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openProver } from '@cuzk/gpu/prover/open-prover';
import { driverCaches } from '@cuzk/service-kit/circuits/driver-caches';
import { type CliConfig, keepCompiledKernels } from '../../config.ts';
import { runSelf } from '../../demo/run-self.ts';
import { proveSmallCircuit } from '../../small-proof.ts';
import { fourDigits, type KernelResult } from './kernel-result.ts';

/** What a new process shows of its kernels. */
export interface FirstDispatches {
  readonly adapter: string;
  readonly selfTestSeconds: number;
  readonly pipelines: number;
  /** Parameters and proof of a small circuit, all kernels new, and once more. */
  readonly firstSeconds: number;
  readonly secondSeconds: number;
  readonly verified: boolean;
}

/**
 * What kernels take at their first dispatch, where a software adapter compiles them: makes parameters and a proof of a
 * small circuit twice in this process, whose device is neither tuned nor known.
 */
export async function measureFirstDispatches(config: CliConfig): Promise<FirstDispatches> {
  keepCompiledKernels(config);
  const prover = await openProver(config.gpu);
  try {
    const { context, selfTestReport } = prover;
    const first = await proveSmallCircuit(context);
    const second = await proveSmallCircuit(context);
    return {
      adapter: context.traits.description,
      selfTestSeconds: fourDigits(selfTestReport.seconds),
      pipelines: context.kernels.compiled.count,
      firstSeconds: first.seconds,
      secondSeconds: second.seconds,
      verified: first.verified && second.verified,
    };
  } finally {
    prover.close();
  }
}

/** `cuzk bench first-dispatches` in two processes: the first with an empty folder for compiled kernels, the second with what it left. */
export async function timeFirstDispatches(
  { environment }: Pick<CliConfig, 'environment'>,
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
    for (const name of ['first dispatches, none kept', 'first dispatches, kept by the driver']) {
      const report = await runSelf(['bench', 'first-dispatches'], options);
      results.push(resultOf(name, report as unknown as FirstDispatches));
    }
    return results;
  } finally {
    await rm(cacheDir, { recursive: true, force: true });
  }
}

/** The compiling is what the first time took longer than the second. */
function resultOf(name: string, report: FirstDispatches): KernelResult {
  const { selfTestSeconds, pipelines, firstSeconds, secondSeconds, verified } = report;
  return {
    name,
    deviceSeconds: null,
    wallSeconds: fourDigits(Math.max(0, firstSeconds - secondSeconds)),
    repeats: 1,
    figures: { firstSeconds, secondSeconds, pipelines, selfTestSeconds },
    checked: 'two proofs by the verifier',
    passed: verified,
  };
}
