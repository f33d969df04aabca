import type { MemoryHistoryView } from '../../src/status/memory-history.ts';
import type { WorkerView } from '../../src/status/status-types.ts';

/** Times (Unix seconds) and one line of bytes for every process, and for the device of those that have one. */
export interface MemoryColumns {
  readonly times: readonly number[];
  readonly lines: readonly { readonly name: string; readonly bytes: readonly (number | null)[] }[];
}

const KEPT_SECONDS = 1_800;
const INTERVAL_SECONDS = 5;

export function columnsOf({ times, series }: MemoryHistoryView): MemoryColumns {
  const lines = series.map(({ worker, kind, bytes }) => ({
    name: kind === 'resident' ? worker : `${worker} device`,
    bytes,
  }));
  return { times, lines };
}

/** The columns with what the workers say at `time`; unchanged when the last sample is not old enough. */
export function withSample(
  columns: MemoryColumns,
  workers: readonly WorkerView[],
  time: number,
): MemoryColumns {
  const last = columns.times.at(-1);
  if (last !== undefined && time - last < INTERVAL_SECONDS) return columns;
  const now = new Map<string, number>();
  for (const { name, resident_bytes, device_bytes } of workers) {
    if (resident_bytes !== null) now.set(name, resident_bytes);
    if (device_bytes !== null) now.set(`${name} device`, device_bytes);
  }
  const first = columns.times.findIndex((at) => time - at <= KEPT_SECONDS);
  const from = first < 0 ? columns.times.length : first;
  const known = new Map(columns.lines.map(({ name, bytes }) => [name, bytes]));
  const names = [...new Set([...known.keys(), ...now.keys()])].sort();
  const empty = columns.times.map(() => null);
  const lines = names
    .map((name) => ({
      name,
      bytes: [...(known.get(name) ?? empty).slice(from), now.get(name) ?? null],
    }))
    .filter(({ bytes }) => bytes.some((value) => value !== null));
  return { times: [...columns.times.slice(from), time], lines };
}
