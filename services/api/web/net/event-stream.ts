import { ApiProblem, apiKey, request } from './api.ts';
import { EventStreamParser, type ServerEvent } from './event-stream-parser.ts';

const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 10_000;
/** Longer silence than two heartbeats of the API (15 s at most) is a dead connection. */
const SILENCE_MS = 35_000;

/** How a stream is doing; `retryAt` is Unix ms. */
export type StreamState =
  | { readonly kind: 'connecting' }
  | { readonly kind: 'open' }
  | { readonly kind: 'waiting'; readonly retryAt: number; readonly reason: string }
  | { readonly kind: 'ended' };

export interface StreamOptions {
  onEvent(event: ServerEvent): void;
  onState?(state: StreamState): void;
  /** True for the event after which nothing follows. */
  isLast?(event: ServerEvent): boolean;
}

/**
 * Reads server-sent events with the API key (EventSource cannot carry one) until it is stopped: comes back after
 * every break with the id of the last event. Returns the way to stop it.
 */
export function followEvents(path: string, options: StreamOptions): () => void {
  const stopping = new AbortController();
  void follow(path, options, stopping.signal);
  return () => stopping.abort();
}

async function follow(path: string, options: StreamOptions, stop: AbortSignal): Promise<void> {
  const say = (state: StreamState) => stop.aborted || options.onState?.(state);
  let lastId: string | null = null;
  let pauseMs = FIRST_PAUSE_MS;
  while (!stop.aborted) {
    let reason = 'The connection was closed.';
    try {
      say({ kind: 'connecting' });
      for await (const event of readEvents(path, lastId, stop, () => say({ kind: 'open' }))) {
        pauseMs = FIRST_PAUSE_MS;
        lastId = event.id;
        options.onEvent(event);
        if (options.isLast?.(event)) return say({ kind: 'ended' }) as undefined;
      }
    } catch (error) {
      if (error instanceof ApiProblem && error.status === 404) return void say({ kind: 'ended' });
      reason = error instanceof ApiProblem ? error.message : 'The API does not answer.';
    }
    say({ kind: 'waiting', retryAt: Date.now() + pauseMs, reason });
    await pause(pauseMs, stop);
    pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS);
  }
}

async function* readEvents(
  path: string,
  lastId: string | null,
  stop: AbortSignal,
  onOpen: () => void,
): AsyncGenerator<ServerEvent> {
  const cut = new AbortController();
  const abort = () => cut.abort();
  stop.addEventListener('abort', abort);
  let timer = setTimeout(abort, SILENCE_MS);
  try {
    const headers: Record<string, string> = { accept: 'text/event-stream' };
    if (lastId !== null) headers['last-event-id'] = lastId;
    const response = await request(path, { headers, cache: 'no-store', signal: cut.signal });
    onOpen();
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
    const parser = new EventStreamParser();
    for (;;) {
      const chunk = await reader?.read();
      if (chunk === undefined || chunk.done) return;
      clearTimeout(timer);
      timer = setTimeout(abort, SILENCE_MS);
      yield* parser.push(chunk.value);
    }
  } finally {
    clearTimeout(timer);
    stop.removeEventListener('abort', abort);
    cut.abort();
  }
}

/** Until the time is over, the stream is stopped or another key is there to try. */
function pause(ms: number, stop: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      forget();
      resolve();
    };
    const timer = setTimeout(end, ms);
    stop.addEventListener('abort', end, { once: true });
    const key = apiKey.peek();
    const forget = apiKey.subscribe((now) => now === key || queueMicrotask(end));
  });
}
