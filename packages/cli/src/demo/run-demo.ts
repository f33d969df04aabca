import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CliConfig } from '../config.ts';
import { System } from '../fleet/system.ts';
import { downloadResult, type ProofView, submitC1, waitForProof } from '../proof-client.ts';
import { progressLine } from '../terminal/progress-line.ts';
import type { WaterfallSpan } from '../terminal/waterfall.ts';
import { openC1Verifier } from '../verify/verify-c1-proof.ts';
import { demoExample } from './example.ts';
import { PhaseClock } from './phase-clock.ts';
import { type DemoAdapter, demoConfig, measureAgain, prepareDemo } from './prepare.ts';
import { proofSpans, round, secondsByName } from './proof-spans.ts';

/** Loading 1.1 GB of parameters and compiling every kernel on a software adapter takes a minute or two. */
const READY_TIMEOUT_MS = 15 * 60_000;
const SAMPLE_MS = 1000;
const WAIT_STEP = 'until the proof is there';
/** While nothing changes, a line this often says that work goes on. */
const STILL_THERE_SECONDS = 10;

export interface DemoOptions {
  /** Leaves the system running. */
  readonly keep: boolean;
  readonly signal: AbortSignal;
  onLine(line: string): void;
}

/** What `cuzk demo --json` prints. */
export interface DemoReport {
  readonly verified: boolean;
  readonly proofId: string;
  readonly circuit: string | null;
  readonly adapter: string;
  readonly fpMulPerSecondPerCore: number;
  /** The same once the proof was there; null on hardware, whose rate does not move. */
  readonly fpMulPerSecondPerCoreAfter: number | null;
  readonly postToVerifiedSeconds: number;
  readonly totalSeconds: number;
  /** Seconds by name. */
  readonly phases: Readonly<Record<string, number>>;
  /** VmHWM by process. */
  readonly peakRssBytes: Readonly<Record<string, number>>;
}

export interface DemoOutcome {
  readonly report: DemoReport;
  readonly spans: readonly WaterfallSpan[];
  /** The system that was left running; null when it was stopped. */
  readonly kept: System | null;
}

/**
 * The whole way of one proof on this machine: parameters, Redis and services as processes, POST, proof, download,
 * verification by this process. Stops and removes what it started; after a failure the logs stay.
 */
export async function runDemo(base: CliConfig, options: DemoOptions): Promise<DemoOutcome> {
  const clock = new PhaseClock();
  const onLine = (line: string): void => {
    options.onLine(`[${clock.seconds.toFixed(1).padStart(6)} s] ${line}`);
  };
  const folder = mkdtempSync(join(tmpdir(), 'cuzk-demo-'));
  const config = demoConfig(base, folder);
  mkdirSync(config.parameterDir);
  let succeeded = false;
  try {
    const adapter = await prepareDemo(config, clock, { signal: options.signal, onLine });
    const outcome = await runSystem(config, folder, adapter, clock, { ...options, onLine });
    succeeded = outcome.kept === null;
    return outcome;
  } catch (error) {
    onLine(`the logs of all processes are in ${join(folder, 'logs')}`);
    throw error;
  } finally {
    if (succeeded) rmSync(folder, { recursive: true, force: true });
  }
}

async function runSystem(
  config: CliConfig,
  folder: string,
  adapter: DemoAdapter,
  clock: PhaseClock,
  options: DemoOptions,
): Promise<DemoOutcome> {
  const { onLine, signal } = options;
  onLine('starting Redis, API, synth-worker and gpu-worker');
  const system = await clock.run('start processes', () =>
    System.start({
      config,
      folder,
      output: (name) => ({ file: join(folder, 'logs', `${name}.log`) }),
      onEvent: onLine,
    }),
  );
  const sampling = setInterval(() => system.sampleMemory(), SAMPLE_MS);
  let kept = false;
  try {
    const ready = { timeoutMs: READY_TIMEOUT_MS, signal, onReason: onLine };
    await clock.run('load and warm up', () => system.ready(ready));
    const outcome = await proveExample(config, system, adapter, clock, options);
    if (options.keep) {
      system.release();
      kept = true;
    }
    return { ...outcome, kept: kept ? system : null };
  } finally {
    clearInterval(sampling);
    if (!kept) {
      onLine('stopping what was started');
      await system.close();
    }
  }
}

async function proveExample(
  config: CliConfig,
  system: System,
  adapter: DemoAdapter,
  clock: PhaseClock,
  options: DemoOptions,
): Promise<Omit<DemoOutcome, 'kept'>> {
  const example = demoExample();
  const api = { url: system.apiUrl, key: config.apiKey };
  const postedAt = clock.seconds;
  const { proofId } = await clock.run('post', () => submitC1(api, example.c1File, example));
  options.onLine(`POST ${system.apiUrl}/v1/proofs: ${proofId}`);
  const proof = await clock.run(WAIT_STEP, () =>
    waitForProof(api, proofId, {
      signal: options.signal,
      onChange: lineOnChange(clock, options.onLine),
    }),
  );
  const bytes = await clock.run('download', () => downloadResult(api, proofId));
  const verified = await clock.run('verify here', async () => {
    const verify = await openC1Verifier(config, example);
    return verify(bytes, null);
  });
  const postToVerifiedSeconds = clock.seconds - postedAt;
  options.onLine(`${bytes.length} bytes ${verified ? 'verified' : 'DO NOT VERIFY'}`);
  system.sampleMemory();
  const after = adapter.software
    ? await clock.run('measure the adapter again', () => measureAgain(config, adapter, options))
    : null;
  const inside = proofSpans(proof);
  return {
    spans: joinSpans(clock.spans, inside, postedAt),
    report: {
      verified,
      proofId,
      circuit: proof.circuitId,
      adapter: adapter.description,
      fpMulPerSecondPerCore: adapter.fpMulPerSecondPerCore,
      fpMulPerSecondPerCoreAfter: after,
      postToVerifiedSeconds: round(postToVerifiedSeconds),
      totalSeconds: round(clock.seconds),
      phases: { ...secondsByName(clock.spans), ...secondsByName(inside) },
      peakRssBytes: system.memory.toObject(),
    },
  };
}

/** The steps of the demo, and below the one that waits for the proof what happened meanwhile. */
function joinSpans(
  steps: readonly WaterfallSpan[],
  inside: readonly WaterfallSpan[],
  postedAt: number,
): WaterfallSpan[] {
  const shifted = inside.map((span) => ({
    ...span,
    name: `  ${span.name}`,
    startSeconds: span.startSeconds + postedAt,
  }));
  return steps.flatMap((step) => (step.name === WAIT_STEP ? [step, ...shifted] : [step]));
}

/** Says what changed, and now and then that nothing did. */
function lineOnChange(clock: PhaseClock, onLine: (line: string) => void) {
  let shown = '';
  let shownAt = 0;
  return (proof: ProofView): void => {
    const line = progressLine(proof);
    if (line === shown && clock.seconds - shownAt < STILL_THERE_SECONDS) return;
    onLine(line);
    shown = line;
    shownAt = clock.seconds;
  };
}
