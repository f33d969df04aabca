import { CuzkError } from '@cuzk/core/errors';

/** One process at one moment. */
export interface MemoryRow {
  /** Unix time, seconds. */
  readonly time: number;
  readonly process: string;
  readonly pid: number;
  readonly residentBytes: number;
  readonly proportionalBytes: number | null;
  readonly swapBytes: number;
  readonly gpuBytes: number | null;
  readonly buffersInFlight: number | null;
  readonly buffersInFlightBytes: number | null;
  /** Units that are worked on, by stage. */
  readonly running: Readonly<Record<string, number>>;
}

const COLUMNS = [
  'time',
  'process',
  'pid',
  'rss_bytes',
  'pss_bytes',
  'swap_bytes',
  'gpu_bytes',
  'buffers_in_flight',
  'buffers_in_flight_bytes',
  'running',
] as const;

/** First line of a file. */
export const MEMORY_HEADER = COLUMNS.join(',');

/** One line of a file. No value holds a comma or a quote. */
export function memoryLine(row: MemoryRow): string {
  const running = Object.entries(row.running)
    .filter(([, units]) => units > 0)
    .map(([stage, units]) => `${stage}:${units}`);
  return [
    row.time.toFixed(3),
    row.process,
    row.pid,
    row.residentBytes,
    row.proportionalBytes ?? '',
    row.swapBytes,
    row.gpuBytes ?? '',
    row.buffersInFlight ?? '',
    row.buffersInFlightBytes ?? '',
    running.join(' '),
  ].join(',');
}

const optional = (text: string | undefined): number | null => (text ? Number(text) : null);

/** Rows of a file. Errors: REQUEST_INVALID with the line that is none. */
export function parseMemoryTable(text: string): MemoryRow[] {
  const [header, ...lines] = text.split('\n').filter((line) => line !== '');
  if (header !== MEMORY_HEADER) throw noTable(1, header ?? 'nothing', MEMORY_HEADER);
  return lines.map((line, i) => {
    const cells = line.split(',');
    const [time, process, pid, resident, proportional, swap, gpu, buffers, bytes, running] = cells;
    const numbers = [time, pid, resident, swap].map(Number);
    if (cells.length !== COLUMNS.length || numbers.some(Number.isNaN)) {
      throw noTable(i + 2, line, `${COLUMNS.length} values`);
    }
    const units = (running ?? '')
      .split(' ')
      .filter(Boolean)
      .map((pair) => pair.split(':'));
    return {
      time: Number(time),
      process: process ?? '',
      pid: Number(pid),
      residentBytes: Number(resident),
      proportionalBytes: optional(proportional),
      swapBytes: Number(swap),
      gpuBytes: optional(gpu),
      buffersInFlight: optional(buffers),
      buffersInFlightBytes: optional(bytes),
      running: Object.fromEntries(units.map(([stage = '', count = '0']) => [stage, Number(count)])),
    };
  });
}

const noTable = (line: number, found: string, expected: string): CuzkError =>
  new CuzkError('REQUEST_INVALID', `line ${line} is not one of cuzk memmon`, {
    expected,
    found: found.slice(0, 80),
  });
