const LIVE = new Set(['received', 'queued', 'running', 'finalizing', 'cancelling']);

export const isLive = (state: string): boolean => LIVE.has(state);

/** The state of a run in a word. */
export function StateChip({ state }: { state: string }) {
  return <span class={`chip run-${state}`}>{state}</span>;
}
