import { CuzkError, ERROR_CODES, type ErrorCode } from '@cuzk/core/errors';

/** Where a gpu-worker of this host answers unless OPS_PORT says otherwise. */
export const DEFAULT_WORKER_URL = 'http://127.0.0.1:9466';

/** A circuit on the device of a worker. Bytes. */
export interface WorkerCircuit {
  readonly sector: string;
  readonly kind: 'resident' | 'streamed';
  readonly residentBytes: number;
  readonly provingBytes: number;
  /** Proofs under way or waiting for their turn. */
  readonly users: number;
  readonly idleSeconds: number;
  readonly plan: { readonly streamedBytes: { readonly each: number } } | null;
}

/** What is on the device of a worker. Throws CuzkError GPU_UNAVAILABLE where no gpu-worker answers. */
export async function workerCircuits(url: string): Promise<readonly WorkerCircuit[]> {
  const { circuits } = (await ask(url, '/circuits', 'GET')) as { circuits: WorkerCircuit[] };
  return circuits;
}

/** Has a worker load the circuit of a sector size. Throws what the worker throws, and GPU_UNAVAILABLE. */
export async function preloadOnWorker(url: string, sector: string): Promise<void> {
  await ask(url, `/circuits/${sector}/preload`, 'POST');
}

/** Has a worker free the circuit of a sector size; false where it was not there. Throws as preloadOnWorker. */
export async function evictOnWorker(url: string, sector: string): Promise<boolean> {
  const answer = await ask(url, `/circuits/${sector}/evict`, 'POST');
  return (answer as { wasLoaded: boolean }).wasLoaded;
}

async function ask(url: string, path: string, method: 'GET' | 'POST'): Promise<unknown> {
  const response = await fetch(new URL(path, url), { method }).catch((cause: unknown) => {
    throw unavailable(url, 'no answer', cause);
  });
  const body = (await response.json().catch(() => ({}))) as Record<string, unknown>;
  if (response.ok) return body;
  const { code, message, expected, found, action } = body as Record<string, string | undefined>;
  if (code === undefined || !(code in ERROR_CODES)) {
    throw unavailable(url, `HTTP ${response.status} ${String(body.error ?? '')}`.trim());
  }
  const facts = Object.fromEntries(
    Object.entries({ expected, found, action }).filter(([, value]) => value !== undefined),
  );
  throw new CuzkError(code as ErrorCode, (message ?? code).replace(/^\[\w+\] /, ''), facts);
}

const unavailable = (url: string, found: string, cause?: unknown): CuzkError =>
  new CuzkError(
    'GPU_UNAVAILABLE',
    'no gpu-worker there',
    {
      expected: `a gpu-worker of this host at ${url}`,
      found,
      action: 'name its address with --worker: http://127.0.0.1 and its OPS_PORT',
    },
    cause,
  );
