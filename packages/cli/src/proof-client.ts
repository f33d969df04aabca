import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { CuzkError, ERROR_CODES, type ErrorCode, type ErrorFacts } from '@cuzk/core/errors';
import type { TimelineEvent } from '@cuzk/service-kit/record/timeline';

/** One timed phase of a partition, as GET /v1/proofs/:id shows it. */
export interface PhaseView {
  readonly name: string;
  /** Unix time, ms. */
  readonly startMs: number;
  readonly durationMs: number;
  readonly clock: 'gpu' | 'wall';
  readonly parent?: string;
}

export interface PartitionView {
  readonly index: number;
  readonly state: string;
  readonly worker: string | null;
  readonly phases: readonly PhaseView[];
  /** ISO times at which states were last entered. */
  readonly enteredAt: Readonly<Record<string, string | null>>;
}

export interface ProofView {
  readonly proofId: string;
  readonly state: string;
  readonly sectorSize: string | null;
  readonly circuitId: string | null;
  readonly parameters: string | null;
  /** null: of a record that was made without a trace. */
  readonly traceId?: string | null;
  readonly createdAt: string;
  readonly endedAt: string | null;
  readonly enteredAt: Readonly<Record<string, string | null>>;
  readonly partitions: readonly PartitionView[];
  readonly error: ProblemDocument | null;
}

interface ProblemDocument extends ErrorFacts {
  readonly code?: string;
  readonly detail?: string;
}

/** What GET /v1/status says of the fleet, as far as it is read here. */
export interface FleetStatus {
  readonly gpu_workers: readonly {
    readonly adapter: string | null;
    /** Bytes on the device by buffer class. */
    readonly device_bytes: Readonly<Record<string, number>> | null;
  }[];
  readonly workers: readonly { readonly resident_bytes: number | null }[];
}

export interface Submission {
  readonly proofId: string;
  readonly state: string;
  /** The same content was there already. */
  readonly joined: boolean;
}

/** Where an API is, and the key that opens it. */
export interface ApiAddress {
  readonly url: string;
  /** Empty where the API asks for none. */
  readonly key: string;
}

const POLL_MS = 250;
/** An API that restarts is waited for this long. */
const AWAY_MS = 60_000;

/** Sends a C1 file. Errors: what the API answers, REQUEST_INVALID for a file that is not there. */
export async function submitC1(
  api: ApiAddress,
  file: string,
  sector: { readonly miner: string; readonly sectorNumber: string },
): Promise<Submission> {
  const found = await stat(file).catch(() => null);
  if (found?.isFile() !== true) {
    throw new CuzkError('REQUEST_INVALID', 'the C1 file cannot be read', {
      expected: 'a readable file',
      found: file,
    });
  }
  const { miner, sectorNumber } = sector;
  const query = new URLSearchParams({ miner, sector: sectorNumber });
  const answer = await request(api, `/v1/proofs?${query}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'content-length': String(found.size) },
    body: Readable.toWeb(createReadStream(file)) as ReadableStream,
    // fetch demands this for a body that is a stream.
    duplex: 'half',
  });
  return parseAnswer<Submission>(api, answer);
}

/** The record of a proof. */
export async function readProof(api: ApiAddress, proofId: string): Promise<ProofView> {
  const answer = await request(api, `/v1/proofs/${encodeURIComponent(proofId)}`);
  return parseAnswer<ProofView>(api, answer);
}

/** The events of a proof so far, oldest first. */
export async function readEvents(api: ApiAddress, proofId: string): Promise<TimelineEvent[]> {
  const answer = await request(api, `/v1/proofs/${encodeURIComponent(proofId)}/events`, {
    headers: { accept: 'application/json' },
  });
  return parseAnswer<{ readonly events: TimelineEvent[] }>(api, answer).events;
}

/** The fleet as it is now. */
export async function readStatus(api: ApiAddress): Promise<FleetStatus> {
  return parseAnswer<FleetStatus>(api, await request(api, '/v1/status'));
}

/**
 * Polls until the run has ended; `onChange` gets every view that was read. An API that does not answer is waited
 * for. Errors: the problem of a run that failed, CANCELLED, the signal's reason.
 */
export async function waitForProof(
  api: ApiAddress,
  proofId: string,
  options: { readonly signal: AbortSignal; onChange(proof: ProofView): void },
): Promise<ProofView> {
  let lastAnswerAt = performance.now();
  for (;;) {
    options.signal.throwIfAborted();
    const proof = await readProof(api, proofId).catch((error: unknown) => {
      const away = error instanceof CuzkError && error.retryable;
      if (!away || performance.now() - lastAnswerAt > AWAY_MS) throw error;
      return null;
    });
    if (proof !== null) {
      lastAnswerAt = performance.now();
      options.onChange(proof);
      if (proof.endedAt !== null) return requireSucceeded(proof);
    }
    await delay(POLL_MS);
  }
}

/** The proof bytes, 192 a partition. */
export async function downloadResult(api: ApiAddress, proofId: string): Promise<Uint8Array> {
  return request(api, `/v1/proofs/${encodeURIComponent(proofId)}/result`, {
    headers: { accept: 'application/octet-stream' },
  });
}

function requireSucceeded(proof: ProofView): ProofView {
  if (proof.state === 'succeeded') return proof;
  if (proof.error !== null) throw errorOf(proof.error);
  throw new CuzkError('CANCELLED', 'the proof ended without a result', {
    expected: 'succeeded',
    found: proof.state,
  });
}

type RequestOptions = RequestInit & { duplex?: 'half' };

/** The whole body of an answer that is good. Errors: the problem of one that is not, API_UNAVAILABLE, REQUEST_INVALID. */
async function request(
  api: ApiAddress,
  path: string,
  options: RequestOptions = {},
): Promise<Buffer> {
  const url = addressOf(api.url, path);
  const headers = new Headers(options.headers);
  if (api.key !== '') headers.set('authorization', `Bearer ${api.key}`);
  const { response, body } = await fetchWhole(url, { ...options, headers });
  if (response.ok) return body;
  const problem = parseObject<ProblemDocument>(body);
  throw problem === null ? noApi(url, `HTTP status ${response.status}`) : errorOf(problem);
}

/** An answer that breaks off is none. */
async function fetchWhole(
  url: URL,
  options: RequestOptions,
): Promise<{ readonly response: Response; readonly body: Buffer }> {
  try {
    const response = await fetch(url, options);
    return { response, body: Buffer.from(await response.arrayBuffer()) };
  } catch (error) {
    throw new CuzkError(
      'API_UNAVAILABLE',
      'the API does not answer',
      { expected: 'a running service', found: url.origin },
      error,
    );
  }
}

function addressOf(apiUrl: string, path: string): URL {
  if (/^https?:\/\//.test(apiUrl) && URL.canParse(path, apiUrl)) return new URL(path, apiUrl);
  throw new CuzkError('REQUEST_INVALID', 'that is no address of an API', {
    expected: 'an address such as http://127.0.0.1:8080',
    found: apiUrl,
  });
}

/** The document of a good answer. Errors: API_UNAVAILABLE where something else answers. */
function parseAnswer<T extends object>(api: ApiAddress, body: Buffer): T {
  const document = parseObject<T>(body);
  if (document === null) throw noApi(new URL(api.url), 'an answer that is no document');
  return document;
}

function parseObject<T extends object>(body: Buffer): T | null {
  try {
    const value: unknown = JSON.parse(body.toString());
    return typeof value === 'object' ? (value as T | null) : null;
  } catch {
    return null;
  }
}

/** A proxy answers for an API that is away, or another program listens there. */
const noApi = ({ origin }: URL, found: string): CuzkError =>
  new CuzkError('API_UNAVAILABLE', 'what answers there is not the API', {
    expected: `the API of a running service at ${origin}`,
    found,
  });

/** The error that a problem document stands for; a code that this version does not know becomes INTERNAL. */
function errorOf({ code, detail, expected, found, pointer, action }: ProblemDocument): CuzkError {
  const known = code !== undefined && Object.hasOwn(ERROR_CODES, code);
  const facts = Object.entries({ expected, found, pointer, action }).filter(
    ([, value]) => value !== undefined,
  );
  return new CuzkError(
    known ? (code as ErrorCode) : 'INTERNAL',
    detail ?? 'the API refused without a reason',
    Object.fromEntries(facts),
  );
}
