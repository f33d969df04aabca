import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { CliConfig } from '../../config.ts';
import { openMachineProver } from '../../open-machine-prover.ts';
import { fourDigits, type KernelResult } from './kernel-result.ts';
import type { TimedProof } from './small-proofs.ts';

/** What a process that opens the device says, in this order. */
export type StartNews =
  /** Seconds since it began. */
  | { readonly kind: 'open'; readonly seconds: number; readonly selfTestSeconds: number }
  | { readonly kind: 'ready'; readonly pipelines: number }
  | { readonly kind: 'proved'; readonly proofs: readonly TimedProof[] };

/** The same file from src/ and from dist/. */
const PROCESS = fileURLToPath(
  new URL('../../../dist/bench/kernels/start-process.js', import.meta.url),
);

const secondsSince = (from: number): number => (performance.now() - from) / 1000;

const timing = (
  name: string,
  wallSeconds: number,
  rest: Pick<KernelResult, 'figures' | 'checked' | 'passed'>,
): KernelResult => ({ name, deviceSeconds: null, wallSeconds, repeats: 1, ...rest });

/** A device that is opened, tested and closed again, tuned where that is not known. What was compiled stays in the driver's cache. */
export async function timeStart(
  config: CliConfig,
  warn: (line: string) => void,
): Promise<KernelResult> {
  const startedAt = performance.now();
  const prover = await openMachineProver(config, warn);
  try {
    const wallSeconds = secondsSince(startedAt);
    const { count, seconds } = prover.context.kernels.compiled;
    const { probes, seconds: selfTestSeconds } = prover.selfTestReport;
    const operations = probes.reduce((sum, { checked }) => sum + checked, 0);
    return timing('start: adapter, self-test, tuning', wallSeconds, {
      figures: {
        selfTestSeconds: fourDigits(selfTestSeconds),
        // of the process that measured it, which may be another one
        tuningSeconds: fourDigits(prover.tuning?.measured.seconds ?? 0),
        pipelines: count,
        compileSeconds: fourDigits(seconds),
      },
      checked: `${operations} operations of the self-test`,
      passed: true,
    });
  } finally {
    prover.close();
  }
}

/**
 * The start of a process that finds tuning and pipelines known, as the device process of a gpu-worker does, from its
 * first moment until all pipelines are there; and by itself a small proof, the first and the second. Throws Error where
 * that process ends early.
 */
export async function timeWarmStart(config: CliConfig): Promise<KernelResult[]> {
  const startedAt = performance.now();
  const child = fork(PROCESS, {
    env: { ...config.environment, CUZK_CACHE_DIR: config.cacheDir, GPU: config.gpu },
    // built code, whatever flags this process was started with
    execArgv: [],
  });
  const results: KernelResult[] = [];
  let opened: Extract<StartNews, { kind: 'open' }> | undefined;
  await new Promise<void>((resolve, reject) => {
    child.once('error', reject);
    // all that it has said was heard before
    child.once('disconnect', () => reject(new Error('the process whose start is timed ended')));
    child.on('message', (message) => {
      const news = message as StartNews;
      if (news.kind === 'open') opened = news;
      else if (news.kind === 'ready') {
        results.push(warmStart(secondsSince(startedAt), news.pipelines, opened));
      } else {
        results.push(...news.proofs.map(smallProof));
        resolve();
      }
    });
  });
  return results;
}

const warmStart = (
  wallSeconds: number,
  pipelines: number,
  opened: Extract<StartNews, { kind: 'open' }> | undefined,
): KernelResult =>
  timing('warm start of a process: adapter, pipelines, tuned', wallSeconds, {
    figures: {
      openSeconds: fourDigits(opened?.seconds ?? 0),
      selfTestSeconds: fourDigits(opened?.selfTestSeconds ?? 0),
      pipelines,
    },
    checked: 'the self-test',
    passed: true,
  });

const smallProof = ({ seconds, constraints, verified }: TimedProof, i: number): KernelResult =>
  timing(`small proof, ${i === 0 ? 'first' : 'second'} after that start`, seconds, {
    figures: { constraints },
    checked: "core's verifier",
    passed: verified,
  });
