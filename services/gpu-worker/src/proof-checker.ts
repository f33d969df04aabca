import { Worker } from 'node:worker_threads';

export interface ProofCheck {
  readonly vkPath: string;
  /** Inputs without ONE, canonical LE, 32 bytes each. */
  readonly publicInputs: Uint8Array;
  /** 192 bytes. */
  readonly proof: Uint8Array;
}

export interface ProofChecker {
  /** True: the proof verifies. False: it does not, or is not an encoding of curve points. */
  check(check: ProofCheck): Promise<boolean>;
  close(): Promise<void>;
}

/** A thread that verifies, so that pairings never hold up the queue and the watchdog. */
export function startProofChecker(): ProofChecker {
  const thread = new Worker(new URL('../dist/verify-thread.js', import.meta.url));
  const waiting = new Map<
    number,
    { resolve: (valid: boolean) => void; reject: (error: Error) => void }
  >();
  let next = 1;
  thread.on('message', ({ id, valid, error }: { id: number; valid?: boolean; error?: string }) => {
    const entry = waiting.get(id);
    waiting.delete(id);
    if (valid === undefined) entry?.reject(new Error(error));
    else entry?.resolve(valid);
  });
  thread.on('error', (error) => {
    for (const { reject } of waiting.values()) reject(error);
    waiting.clear();
  });
  thread.unref();
  return {
    check: (check) =>
      new Promise((resolve, reject) => {
        const id = next++;
        waiting.set(id, { resolve, reject });
        thread.postMessage({ id, check });
      }),
    close: async () => {
      await thread.terminate();
    },
  };
}
