import { computed, signal } from '@preact/signals';
import { applyChange, type StatusChange } from '../../src/status/status-change.ts';
import type { StatusView } from '../../src/status/status-types.ts';
import { followEvents, type StreamState } from '../net/event-stream.ts';

/** The fleet as last heard of; null until the first word. */
export const status = signal<StatusView | null>(null);
export const connection = signal<StreamState>({ kind: 'connecting' });
/** Unix ms by the clock of the API, once a second: what runs on the page runs by this. */
export const clock = signal(Date.now());
/** True once another build of this page is served. */
export const pageIsStale = signal(false);

export const pipelines = computed(() => status.value?.pipelines ?? []);

let skewMs = 0;
let firstPage: string | null | undefined;

/** Begins to follow the fleet. Returns the way to stop. */
export function followStatus(): () => void {
  const timer = setInterval(() => {
    clock.value = Date.now() + skewMs;
  }, 1_000);
  const stop = followEvents('/v1/status/events', {
    onState: (state) => {
      connection.value = state;
    },
    onEvent: ({ type, data }) => {
      if (type === 'status') begin(JSON.parse(data) as StatusView);
      else if (type === 'change' && status.value !== null) {
        status.value = applyChange(status.value, JSON.parse(data) as StatusChange);
      }
    },
  });
  return () => {
    clearInterval(timer);
    stop();
  };
}

function begin(whole: StatusView): void {
  skewMs = Date.parse(whole.time) - Date.now();
  clock.value = Date.now() + skewMs;
  firstPage ??= whole.service.page;
  pageIsStale.value = whole.service.page !== firstPage;
  status.value = whole;
}
