import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

export interface ReceivedSpan {
  readonly kind: 'span';
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string | null;
  readonly name: string;
  readonly service: string;
  readonly startMs: number;
  readonly endMs: number;
  readonly attributes: Readonly<Record<string, string | number | boolean | null>>;
  /** 0 unset, 1 ok, 2 error. */
  readonly statusCode: number;
  readonly statusMessage: string;
}

interface ReceivedMetrics {
  readonly kind: 'metrics';
  readonly names: readonly string[];
}

/** How a receiver behaves: it takes what comes, answers 503 to everything, or never answers. */
export type Manners = 'good' | 'errors' | 'silent';

/** The OTLP receiver as a process of its own. */
export class Collector {
  readonly endpoint: string;
  readonly #file: string;
  readonly #child: ChildProcess;

  private constructor(endpoint: string, file: string, child: ChildProcess) {
    this.endpoint = endpoint;
    this.#file = file;
    this.#child = child;
  }

  /** `file` gets what is received. */
  static async start(file: string, manners: Manners = 'good'): Promise<Collector> {
    const program = fileURLToPath(new URL('./otlp-receiver.mjs', import.meta.url));
    const child = spawn(process.execPath, [program, file, manners], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const [chunk] = (await once(child.stdout, 'data')) as [Buffer];
    const port = /listening on (\d+)/.exec(chunk.toString())?.[1];
    if (port === undefined) throw new Error(`collector: ${chunk}`);
    return new Collector(`http://127.0.0.1:${port}`, file, child);
  }

  #lines(): (ReceivedSpan | ReceivedMetrics)[] {
    if (!existsSync(this.#file)) return [];
    return readFileSync(this.#file, 'utf8')
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line));
  }

  spans(): ReceivedSpan[] {
    return this.#lines().filter((line) => line.kind === 'span');
  }

  metricNames(): Set<string> {
    return new Set(this.#lines().flatMap((line) => (line.kind === 'metrics' ? line.names : [])));
  }

  async stop(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const ended = once(this.#child, 'exit');
    this.#child.kill('SIGTERM');
    await ended;
  }
}

/** Spans that have no children: what time was really spent on. */
export function leavesOf(spans: readonly ReceivedSpan[]): ReceivedSpan[] {
  const parents = new Set(spans.map(({ parentSpanId }) => parentSpanId));
  return spans.filter(({ spanId }) => !parents.has(spanId));
}

/** Milliseconds of [fromMs, toMs] that at least one of the spans covers. */
export function coveredMs(
  spans: readonly Pick<ReceivedSpan, 'startMs' | 'endMs'>[],
  fromMs: number,
  toMs: number,
): number {
  let covered = 0;
  let reached = fromMs;
  for (const { startMs, endMs } of [...spans].sort((a, b) => a.startMs - b.startMs)) {
    const start = Math.max(startMs, reached);
    const end = Math.min(endMs, toMs);
    if (end <= start) continue;
    covered += end - start;
    reached = end;
  }
  return covered;
}
