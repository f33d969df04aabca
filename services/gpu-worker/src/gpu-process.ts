import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { CuzkError, type ErrorCode } from '@cuzk/core/errors';
import type { Logger } from '@cuzk/service-kit/logger';
import { NotBegunError } from '@cuzk/service-kit/queues/stop-reasons';
import type {
  AdapterFacts,
  ChildReply,
  ChildRequest,
  CircuitState,
  DeviceUsage,
  PipelineFacts,
  ProvedWitness,
} from './child-protocol.ts';
import { deviceEnvironment } from './config.ts';
import type { SilenceLimit } from './silence-limit.ts';

export interface GpuProcessOptions {
  readonly logger: Logger;
  /** Drivers keep compiled kernels there. */
  readonly cacheDir: string;
  /** What is usual on this device; kept by the caller over restarts of the process. */
  readonly silence: SilenceLimit;
  /** The program of the process; tests bring ones that hang or die. */
  readonly childPath?: string;
  /** News of long work: 0 … 1 of a named step. */
  readonly onProgress: (what: string, fraction: number) => void;
  /** Now and then, and at the end of each request. */
  readonly onUsage: (usage: DeviceUsage) => void;
  /** The process ended without being asked to. */
  readonly onLost: (reason: string) => void;
}

/** What a prover says of one partition on its way. */
export interface ProveNews {
  /** The witness is on the device; its file is no longer needed. */
  readonly onUploaded: () => void;
  /** The device works on it from now on. */
  readonly onBegun: () => void;
}

interface Pending {
  readonly resolve: (reply: ChildReply) => void;
  readonly reject: (error: Error) => void;
  readonly news: ProveNews;
  readonly kind: ChildRequest['kind'];
  /** The device works on it: always, but for a partition that waits behind another one. */
  begun: boolean;
}

const NO_NEWS: ProveNews = { onUploaded: () => {}, onBegun: () => {} };

/** The same file in src/ (tests run it after a build) and in dist/. */
const CHILD_PATH = fileURLToPath(new URL('../dist/device-child.js', import.meta.url));
const WATCH_MS = 1_000;

/**
 * The child process that owns the device. A submit on a software adapter blocks its event loop and a driver may
 * crash or hang, so that the supervisor keeps the queue, the record and the clock, and can always kill it.
 */
export class GpuProcess {
  readonly #child: ChildProcess;
  readonly #options: GpuProcessOptions;
  readonly #pending = new Map<number, Pending>();
  readonly #watchdog: NodeJS.Timeout;
  #next = 1;
  /**
   * News of any request, by a clock that nobody sets: they are done one after another, so that later ones have none.
   */
  #lastNewsAt = performance.now();
  #ended: string | undefined;
  #closing = false;

  constructor(options: GpuProcessOptions) {
    this.#options = options;
    this.#child = fork(options.childPath ?? CHILD_PATH, [], {
      env: deviceEnvironment(options.cacheDir),
      serialization: 'advanced',
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    });
    this.#child.on('message', (reply) => this.#receive(reply as ChildReply));
    this.#child.on('exit', (code, signal) => this.#lose(`exited with ${signal ?? code}`));
    this.#child.on('error', (error) => this.#lose(error.message));
    this.#watchdog = setInterval(() => this.#watch(), WATCH_MS);
  }

  /** Process id, for VmHWM and for tests that kill it. */
  get pid(): number | undefined {
    return this.#child.pid;
  }

  get alive(): boolean {
    return this.#ended === undefined;
  }

  /** Opens the adapter and runs the self-test. Errors: GPU_UNAVAILABLE, GPU_SELF_TEST_FAILED. */
  async open(
    request: Omit<Extract<ChildRequest, { kind: 'open' }>, 'kind'>,
  ): Promise<AdapterFacts> {
    return expectReply(await this.#ask({ kind: 'open', ...request }), 'opened').adapter;
  }

  /** Puts a circuit and its SRS on the device. Errors: PARAMS_*, GPU_OUT_OF_MEMORY. */
  async load(
    request: Omit<Extract<ChildRequest, { kind: 'load' }>, 'kind'>,
  ): Promise<Omit<Extract<ChildReply, { kind: 'loaded' }>, 'kind' | 'request'>> {
    return expectReply(await this.#ask({ kind: 'load', ...request }), 'loaded');
  }

  /**
   * Proves one partition, after those that were asked for before. Errors: what proving throws, GPU_DEVICE_LOST,
   * GPU_HUNG, and NotBegunError where the process ended with this partition waiting behind another one.
   */
  async prove(
    request: Omit<Extract<ChildRequest, { kind: 'prove' }>, 'kind'>,
    signal: AbortSignal,
    news: ProveNews,
  ): Promise<ProvedWitness> {
    return expectReply(await this.#ask({ kind: 'prove', ...request }, signal, news), 'proved')
      .proof;
  }

  /** Frees a circuit; false where it was not there. Errors: CAPACITY_EXHAUSTED while it is in use. */
  async evict(sectorBytes: number): Promise<boolean> {
    return expectReply(await this.#ask({ kind: 'evict', sectorBytes }), 'evicted').wasLoaded;
  }

  /** Waits until the pipelines that an earlier process kept are compiled. */
  async pipelines(): Promise<PipelineFacts> {
    return expectReply(await this.#ask({ kind: 'pipelines' }), 'pipelines').pipelines;
  }

  /** What is on the device. */
  async circuits(): Promise<readonly CircuitState[]> {
    return expectReply(await this.#ask({ kind: 'circuits' }), 'circuits').circuits;
  }

  /** Runs the self-test on the open device. Errors: GPU_SELF_TEST_FAILED. */
  async selfTest(): Promise<void> {
    expectReply(await this.#ask({ kind: 'self-test' }), 'tested');
  }

  /** Ends the process at once. Work under way is lost; whoever asked for it is told. */
  close(): void {
    this.#closing = true;
    this.#child.kill('SIGKILL');
  }

  #ask(body: ChildRequest, signal?: AbortSignal, news = NO_NEWS): Promise<ChildReply> {
    if (this.#ended !== undefined) return Promise.reject(lostError(this.#ended));
    const request = this.#next++;
    return new Promise<ChildReply>((resolve, reject) => {
      const cancel = () => this.#send(0, { kind: 'cancel', request });
      const settle =
        <T>(then: (value: T) => void) =>
        (value: T): void => {
          this.#pending.delete(request);
          this.#lastNewsAt = performance.now();
          signal?.removeEventListener('abort', cancel);
          then(value);
        };
      this.#pending.set(request, {
        resolve: settle(resolve),
        reject: settle(reject),
        news,
        kind: body.kind,
        begun: body.kind !== 'prove',
      });
      if (this.#pending.size === 1) this.#lastNewsAt = performance.now();
      this.#send(request, body);
      if (signal?.aborted) cancel();
      else signal?.addEventListener('abort', cancel, { once: true });
    });
  }

  #send(request: number, body: ChildRequest): void {
    if (this.#child.connected) this.#child.send({ request, body });
  }

  #receive(reply: ChildReply): void {
    const pending = this.#pending.get(reply.request);
    if (pending === undefined) return;
    const { silence } = this.#options;
    silence.paused(reply.request, performance.now() - this.#lastNewsAt);
    this.#lastNewsAt = performance.now();
    if (reply.kind === 'progress') this.#options.onProgress(reply.what, reply.fraction);
    else if (reply.kind === 'usage') this.#options.onUsage(reply.usage);
    else if (reply.kind === 'uploaded') pending.news.onUploaded();
    else if (reply.kind === 'begun') this.#begin(pending);
    else {
      silence.ended(reply.request, pending.kind, reply.kind !== 'failed');
      pending.resolve(reply);
    }
  }

  #begin(pending: Pending): void {
    pending.begun = true;
    pending.news.onBegun();
  }

  #watch(): void {
    const [oldest] = this.#pending.values();
    if (oldest === undefined || this.#ended !== undefined) return;
    const hangMs = this.#options.silence.msFor(oldest.kind);
    if (performance.now() - this.#lastNewsAt <= hangMs) return;
    this.#options.logger.error({ hangMs }, 'device made no progress, killing its process');
    this.#lose('made no progress', 'GPU_HUNG');
    this.#child.kill('SIGKILL');
  }

  #lose(reason: string, code: ErrorCode = 'GPU_DEVICE_LOST'): void {
    if (this.#ended !== undefined) return;
    this.#ended = reason;
    clearInterval(this.#watchdog);
    const pending = [...this.#pending.values()];
    // the next process gives the same numbers to others
    for (const [request, { kind }] of this.#pending) {
      this.#options.silence.ended(request, kind, false);
    }
    // What only waited is not at fault; what was alone may well be, even where the device had not begun it.
    const excused = this.#closing || pending.some(({ begun }) => begun);
    for (const { begun, reject } of pending) {
      reject(excused && !begun ? new NotBegunError(reason) : lostError(reason, code));
    }
    if (!this.#closing) this.#options.onLost(reason);
  }
}

const lostError = (reason: string, code: ErrorCode = 'GPU_DEVICE_LOST'): CuzkError =>
  new CuzkError(code, `the device process ${reason}`, {
    action: 'the work is repeated; see the log of the gpu-worker if this happens again',
  });

function expectReply<K extends ChildReply['kind']>(
  reply: ChildReply,
  kind: K,
): Extract<ChildReply, { kind: K }> {
  if (reply.kind === 'failed') {
    const { code, message, facts } = reply.problem;
    if (code === null) throw new Error(message);
    throw new CuzkError(code, message.replace(/^\[\w+\] /, ''), facts);
  }
  if (reply.kind !== kind)
    throw new TypeError(`device process: expected ${kind}, got ${reply.kind}`);
  return reply as Extract<ChildReply, { kind: K }>;
}
