import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { CliConfig } from '../../config.ts';
import { fourDigits, type KernelResult } from './kernel-result.ts';
import type { TimedProof } from './small-proofs.ts';

/** What a process that opens the device says, in this order. */
export type StartNews =
  | {
      readonly kind: 'open';
      readonly figures: Readonly<Record<string, number>>;
      /** Operations that its self-test compared. */
      readonly operations: number;
    }
  /** All pipelines that an earlier process kept are compiled. */
  | { readonly kind: 'ready'; readonly kept: number }
  | { readonly kind: 'proved'; readonly proofs: readonly TimedProof[] };
type NewsOf<K extends StartNews['kind']> = Extract<StartNews, { kind: K }>;

/** News of a process, with the seconds from its start, as its parent sees them. */
type Heard = { readonly [K in StartNews['kind']]?: { news: NewsOf<K>; seconds: number } };

/** The same file from src/ and from dist/. */
const PROCESS = fileURLToPath(
  new URL('../../../dist/bench/kernels/start-process.js', import.meta.url),
);

/**
 * Two starts, each a process of its own as that of a gpu-worker's device is, from its first moment: the first as this
 * machine is, the second one with tuning, pipelines and driver's cache as the first has left them; and by themselves,
 * on hardware, two small proofs. This process must not have opened the device before: a driver keeps others from its
 * cache meanwhile. Throws Error where one of them fails.
 */
export async function timeStarts(config: CliConfig, signal: AbortSignal): Promise<KernelResult[]> {
  const first = await startProcess(config, signal);
  const second = await startProcess(config, signal);
  const { open, ready, proved } = second;
  const checked = `${open.news.operations} operations of the self-test`;
  return [
    timing('start: adapter, self-test, tuning', first.open.seconds, {
      figures: first.open.news.figures,
      checked,
    }),
    timing('warm start: adapter, pipelines, tuned', ready.seconds, {
      figures: { ...open.news.figures, pipelines: ready.news.kept },
      checked,
    }),
    ...proved.news.proofs.map(({ seconds, constraints, verified }, i) => ({
      ...timing(`small proof, ${i === 0 ? 'first' : 'second'} after that start`, seconds, {
        figures: { constraints },
        checked: "core's verifier",
      }),
      passed: verified,
    })),
  ];
}

function timing(
  name: string,
  wallSeconds: number,
  { figures, checked }: Pick<KernelResult, 'figures' | 'checked'>,
): KernelResult {
  const rounded = Object.entries(figures).map(([key, value]) => [key, fourDigits(value)]);
  return {
    name,
    deviceSeconds: null,
    wallSeconds,
    repeats: 1,
    figures: Object.fromEntries(rounded),
    checked,
    passed: true,
  };
}

/** Runs one to its end. */
async function startProcess(config: CliConfig, signal: AbortSignal): Promise<Required<Heard>> {
  const startedAt = performance.now();
  const child = fork(PROCESS, {
    env: { ...config.environment, CUZK_CACHE_DIR: config.cacheDir, GPU: config.gpu },
    // built code, whatever flags this process was started with
    execArgv: [],
    signal,
  });
  const heard: Heard = {};
  child.on('message', (message) => {
    const news = message as StartNews;
    Object.assign(heard, {
      [news.kind]: { news, seconds: (performance.now() - startedAt) / 1000 },
    });
  });
  // all that it has said is heard before it disconnects
  await Promise.all([once(child, 'disconnect'), once(child, 'exit')]);
  const { open, ready, proved } = heard;
  if (open === undefined || ready === undefined || proved === undefined) {
    throw new Error('a process whose start is timed has failed');
  }
  return { open, ready, proved };
}
