import type { TimelineEvent } from '@cuzk/service-kit/record/timeline';
import { signal } from '@preact/signals';
import { ApiProblem, getJson, problemText } from '../net/api.ts';
import { followEvents } from '../net/event-stream.ts';
import { isLive } from '../proofs/state-chip.tsx';
import type { TimedPartition } from './waterfall-rows.ts';

/** The members of GET /v1/proofs/:id that the page shows. */
export interface ProofDocument {
  readonly proofId: string;
  readonly state: string;
  readonly run: number;
  readonly miner: string;
  readonly sector: string;
  readonly sectorSize: string | null;
  readonly circuitId: string | null;
  readonly priority: string;
  readonly parameters: string | null;
  readonly createdAt: string;
  readonly endedAt: string | null;
  readonly deadlineAt: string | null;
  readonly waiting: { readonly position: number | null; readonly reason: string | null };
  readonly partitions: readonly (TimedPartition & {
    readonly state: string;
    readonly worker: string | null;
    readonly attempts: { readonly synthesize: number; readonly prove: number };
    readonly failures: { readonly synthesize: number; readonly prove: number };
    readonly losses: number;
    readonly enteredAt: Readonly<Record<string, string | null>>;
    readonly problem: { readonly code: string } | null;
  })[];
  readonly error: {
    readonly code: string;
    readonly detail: string;
    readonly expected?: string;
    readonly found?: string;
    readonly pointer?: string;
    readonly action?: string;
  } | null;
}

export const record = signal<ProofDocument | null>(null);
export const events = signal<readonly TimelineEvent[]>([]);
export const failure = signal<string | null>(null);

/** The document is read again at most this often while events come in. */
const READ_AGAIN_MS = 400;

/** Follows one proof: its events as they happen, its document whenever they say something new. */
export function followProof(proofId: string): () => void {
  record.value = null;
  events.value = [];
  failure.value = null;
  const stopping = new AbortController();
  let timer: ReturnType<typeof setTimeout> | null = null;
  const read = async () => {
    timer = null;
    try {
      const found = await getJson<ProofDocument>(`/v1/proofs/${proofId}`, stopping.signal);
      if (!stopping.signal.aborted) record.value = found;
    } catch (error) {
      if (stopping.signal.aborted) return;
      const gone = error instanceof ApiProblem && error.status === 404;
      failure.value = gone
        ? 'No proof has this id, or its record was removed.'
        : problemText(error);
    }
  };
  const readSoon = () => {
    timer ??= setTimeout(() => void read(), READ_AGAIN_MS);
  };
  let pending: TimelineEvent[] = [];
  const flush = () => {
    if (pending.length > 0) events.value = [...events.value, ...pending];
    pending = [];
  };
  void read();
  const stop = followEvents(`/v1/proofs/${proofId}/events`, {
    isLast: ({ type, data }) => type === 'state' && !isLive(String(JSON.parse(data).state)),
    onEvent: ({ type, data }) => {
      const { at, ...rest } = JSON.parse(data) as { at: number };
      if (pending.length === 0) queueMicrotask(flush);
      pending.push({ at, type, data: rest });
      readSoon();
    },
  });
  return () => {
    stopping.abort();
    stop();
    if (timer !== null) clearTimeout(timer);
  };
}
