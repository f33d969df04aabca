import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { type Transferable, Worker } from 'node:worker_threads';
import { type AnswerMessage, fromWireError, type TaskMessage } from './thread-protocol.ts';

/** A cancelled task that does not notice within this time loses its thread. */
const CANCEL_GRACE_MS = 1_000;

export interface RunOptions<Part> {
  readonly signal?: AbortSignal;
  readonly onPart?: (part: Part) => void;
  readonly transfer?: readonly Transferable[];
}

interface Task<Part, Answer> {
  readonly request: unknown;
  readonly options: RunOptions<Part>;
  readonly cancel: Int32Array;
  readonly resolve: (answer: Answer) => void;
  readonly reject: (error: unknown) => void;
}

/** Threads that run one entry file and take one task at a time each; started when first needed, or ahead. */
export class ThreadPool<Request, Part, Answer> {
  readonly #entry: URL;
  readonly #size: number;
  readonly #idle: Worker[] = [];
  readonly #busy = new Map<Worker, Task<Part, Answer>>();
  readonly #waiting: Task<Part, Answer>[] = [];
  #closed = false;

  /** `entry` is a built file that calls serveThread. Throws Error when it has not been built. */
  constructor(entry: URL, size: number) {
    if (!Number.isInteger(size) || size < 1) {
      throw new RangeError(`size: expected a positive integer, got ${size}`);
    }
    if (!existsSync(entry)) {
      throw new Error(`thread entry ${fileURLToPath(entry)} is missing: run "npm run build" first`);
    }
    this.#entry = entry;
    this.#size = size;
  }

  /**
   * Runs a task on a free thread, or when one becomes free. Throws what the task throws, the signal's reason
   * after an abort, and Error when its thread dies.
   */
  async run(request: Request, options: RunOptions<Part> = {}): Promise<Answer> {
    const { signal } = options;
    signal?.throwIfAborted();
    if (this.#closed) throw new Error('the thread pool is closed');
    const cancel = new Int32Array(new SharedArrayBuffer(4));
    let onAbort: (() => void) | undefined;
    try {
      return await new Promise<Answer>((resolve, reject) => {
        const task: Task<Part, Answer> = { request, options, cancel, resolve, reject };
        onAbort = () => this.#abandon(task, signal?.reason);
        signal?.addEventListener('abort', onAbort, { once: true });
        this.#waiting.push(task);
        this.#assign();
      });
    } catch (error) {
      signal?.throwIfAborted();
      throw error;
    } finally {
      if (onAbort) signal?.removeEventListener('abort', onAbort);
    }
  }

  /** Starts this many threads, at most the size of the pool, before there is work for them. */
  startAhead(count: number): void {
    for (let i = this.#idle.length + this.#busy.size; i < count; i++) {
      const thread = this.#spawn();
      if (thread) this.#idle.push(thread);
    }
  }

  #assign(): void {
    while (this.#waiting.length > 0) {
      const thread = this.#idle.pop() ?? this.#spawn();
      if (!thread) return;
      const task = this.#waiting.shift() as Task<Part, Answer>;
      this.#busy.set(thread, task);
      const message: TaskMessage = { request: task.request, cancel: task.cancel };
      thread.postMessage(message, task.options.transfer ?? []);
    }
  }

  #spawn(): Worker | null {
    if (this.#busy.size + this.#idle.length >= this.#size) return null;
    // Built code, whatever flags (export conditions of a test runner) this process was started with.
    const thread = new Worker(this.#entry, { execArgv: [] });
    let fault: Error | null = null;
    thread.on('message', (message: AnswerMessage) => this.#answered(thread, message));
    thread.on('error', (error) => {
      fault = error;
    });
    thread.on('exit', (code) => {
      const idle = this.#idle.indexOf(thread);
      if (idle >= 0) this.#idle.splice(idle, 1);
      this.#busy.get(thread)?.reject(fault ?? new Error(`a thread ended with code ${code}`));
      this.#busy.delete(thread);
      if (!this.#closed) this.#assign();
    });
    return thread;
  }

  #answered(thread: Worker, message: AnswerMessage): void {
    const task = this.#busy.get(thread);
    if (!task) return;
    if (message.kind === 'part') {
      task.options.onPart?.(message.value as Part);
      return;
    }
    this.#busy.delete(thread);
    this.#idle.push(thread);
    if (message.kind === 'done') task.resolve(message.value as Answer);
    else task.reject(fromWireError(message.error));
    this.#assign();
  }

  #abandon(task: Task<Part, Answer>, reason: unknown): void {
    const place = this.#waiting.indexOf(task);
    if (place >= 0) {
      this.#waiting.splice(place, 1);
      task.reject(reason);
      return;
    }
    Atomics.store(task.cancel, 0, 1);
    const timer = setTimeout(() => {
      for (const [thread, running] of this.#busy) if (running === task) void thread.terminate();
    }, CANCEL_GRACE_MS);
    timer.unref();
  }

  /** Ends all threads; tasks that run or wait are rejected. */
  async close(): Promise<void> {
    this.#closed = true;
    for (const task of this.#waiting.splice(0)) task.reject(new Error('the thread pool is closed'));
    await Promise.all([...this.#idle, ...this.#busy.keys()].map((thread) => thread.terminate()));
  }
}
