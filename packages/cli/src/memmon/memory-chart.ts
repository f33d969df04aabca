import { linearScale, niceTicks } from './chart-scale.ts';
import type { MemoryRow } from './memory-table.ts';

const WIDTH = 1000;
const LEFT = 86;
const RIGHT = 190;
const PLOT_WIDTH = WIDTH - LEFT - RIGHT;
const MEMORY_TOP = 50;
const MEMORY_HEIGHT = 300;
const LEVELS_TOP = MEMORY_TOP + MEMORY_HEIGHT + 50;
const LEVELS_HEIGHT = 120;
const LANES_TOP = LEVELS_TOP + LEVELS_HEIGHT + 45;
const LANE_HEIGHT = 18;
const STAGES = ['ingest', 'synthesize', 'prove', 'finalize'] as const;
const HEIGHT = LANES_TOP + STAGES.length * LANE_HEIGHT + 40;
const MIB = 2 ** 20;
/** More names than colours tell nothing. */
const NAMED_PROCESSES = 8;
/** An overloaded machine answers late; a process that is gone has no rows. */
const LEVELS_HOLD_SECONDS = 30;
/** Told apart with any kind of colour vision (Okabe and Ito). */
const COLOURS = [
  '#0072b2',
  '#e69f00',
  '#009e73',
  '#cc79a7',
  '#56b4e9',
  '#d55e00',
  '#f0e442',
  '#999999',
];
const STAGE_COLOURS: Readonly<Record<(typeof STAGES)[number], string>> = {
  ingest: '#56b4e9',
  synthesize: '#0072b2',
  prove: '#d55e00',
  finalize: '#009e73',
};

interface Moment {
  readonly second: number;
  readonly rows: readonly MemoryRow[];
}

/**
 * An SVG of a memory table: the memory of all processes, stacked (PSS, which adds up; RSS where the kernel does not
 * tell it), below it what the device and the stages hold, below that which stage was at work. A table without rows
 * gives an empty chart.
 */
export function memoryChart(rows: readonly MemoryRow[]): string {
  const moments = momentsOf(rows);
  const last = Math.max(1, moments.at(-1)?.second ?? 1);
  const x = linearScale([0, last], [LEFT, LEFT + PLOT_WIDTH]);
  const bands = stageBands(moments, x);
  const parts = [
    text(LEFT, 24, 'title', titleOf(moments)),
    ...bands.map(({ stage, from, to }) => tint(stage, from, to)),
    ...memoryPanel(moments, x),
    ...levelsPanel(moments, x),
    ...lanesPanel(bands),
    ...timeAxis(last, x),
  ];
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" font-family="sans-serif" font-size="12">
<style>
svg { background: #ffffff } text { fill: #222222 } .title { font-size: 15px; font-weight: bold }
.grid { stroke: #dddddd } .axis { stroke: #888888 } .line { fill: none; stroke-width: 1.5 }
@media (prefers-color-scheme: dark) { svg { background: #16181d } text { fill: #e6e6e6 } .grid { stroke: #33363d } }
</style>
${parts.join('\n')}
</svg>
`;
}

function momentsOf(all: readonly MemoryRow[]): Moment[] {
  const byTime = new Map<number, MemoryRow[]>();
  for (const row of withLastLevels(fewProcesses(all))) {
    byTime.set(row.time, [...(byTime.get(row.time) ?? []), row]);
  }
  const start = Math.min(...byTime.keys());
  return [...byTime]
    .sort(([a], [b]) => a - b)
    .map(([time, own]) => ({ second: time - start, rows: own }));
}

/** The processes with the highest peaks under their own names, all others under one. */
function fewProcesses(rows: readonly MemoryRow[]): readonly MemoryRow[] {
  const peaks = new Map<string, number>();
  for (const row of rows) {
    peaks.set(row.process, Math.max(peaks.get(row.process) ?? 0, memoryOf(row)));
  }
  if (peaks.size <= NAMED_PROCESSES) return rows;
  const largest = [...peaks].sort(([, a], [, b]) => b - a).slice(0, NAMED_PROCESSES - 1);
  const named = new Set(largest.map(([name]) => name));
  const others = `${peaks.size - named.size} others`;
  return rows.map((row) => (named.has(row.process) ? row : { ...row, process: others }));
}

/** A service that did not answer a sample is taken to hold and do what it said the last time, for a while. */
function withLastLevels(rows: readonly MemoryRow[]): MemoryRow[] {
  const last = new Map<number, MemoryRow>();
  return rows.map((row) => {
    if (row.buffersInFlight !== null || row.gpuBytes !== null) {
      last.set(row.pid, row);
      return row;
    }
    const before = last.get(row.pid);
    if (before === undefined || row.time - before.time > LEVELS_HOLD_SECONDS) return row;
    const { gpuBytes, buffersInFlight, buffersInFlightBytes, running } = before;
    return { ...row, gpuBytes, buffersInFlight, buffersInFlightBytes, running };
  });
}

const memoryOf = ({ proportionalBytes, residentBytes }: MemoryRow): number =>
  proportionalBytes ?? residentBytes;
const totalOf = ({ rows }: Moment): number => rows.reduce((sum, row) => sum + memoryOf(row), 0);
const sumOf = ({ rows }: Moment, read: (row: MemoryRow) => number | null): number =>
  rows.reduce((sum, row) => sum + (read(row) ?? 0), 0);

function titleOf(moments: readonly Moment[]): string {
  if (moments.length === 0) return 'no samples';
  const peak = Math.max(...moments.map(totalOf));
  const seconds = Math.round(moments.at(-1)?.second ?? 0);
  return `memory of all processes over ${seconds} s, at most ${Math.round(peak / MIB)} MiB together`;
}

function memoryPanel(moments: readonly Moment[], x: (second: number) => number): string[] {
  const names = [...new Set(moments.flatMap(({ rows }) => rows.map((row) => row.process)))];
  const max = Math.max(MIB, ...moments.map(totalOf));
  const ticks = niceTicks(max / MIB, 6);
  const y = linearScale([0, ticks.at(-1) ?? 1], [MEMORY_TOP + MEMORY_HEIGHT, MEMORY_TOP]);
  const below = moments.map(() => 0);
  const areas = names.map((name, i) => {
    const lower = [...below];
    moments.forEach(({ rows }, at) => {
      const own = rows.filter((row) => row.process === name);
      below[at] = (below[at] ?? 0) + own.reduce((sum, row) => sum + memoryOf(row) / MIB, 0);
    });
    const points = (values: readonly number[]) =>
      moments.map(({ second }, at) => `${number(x(second))},${number(y(values[at] ?? 0))}`);
    const outline = [...points(below), ...points(lower).reverse()].join(' ');
    return `<polygon points="${outline}" fill="${colour(i)}" fill-opacity="0.75"><title>${escapeXml(name)}</title></polygon>`;
  });
  const legend = names.map((name, i) => legendEntry(i, MEMORY_TOP, colour(i), name));
  return [
    ...grid(ticks, y, 'MiB'),
    ...areas,
    ...legend,
    text(LEFT, MEMORY_TOP - 8, '', 'MiB by process'),
  ];
}

/** What the device and the stages hold, as lines; they are parts of the memory above or of the device's. */
function levelsPanel(moments: readonly Moment[], x: (second: number) => number): string[] {
  const series = [
    ['on the device', (row: MemoryRow) => row.gpuBytes],
    ['buffers in flight', (row: MemoryRow) => row.buffersInFlightBytes],
    ['swapped', (row: MemoryRow) => row.swapBytes],
  ] as const;
  const values = series.map(([, read]) => moments.map((moment) => sumOf(moment, read) / MIB));
  const ticks = niceTicks(Math.max(1, ...values.flat()), 3);
  const y = linearScale([0, ticks.at(-1) ?? 1], [LEVELS_TOP + LEVELS_HEIGHT, LEVELS_TOP]);
  const lines = values.map((own, i) => {
    const points = moments.map(
      ({ second }, at) => `${number(x(second))},${number(y(own[at] ?? 0))}`,
    );
    return `<polyline class="line" points="${points.join(' ')}" stroke="${colour(i + 3)}"/>`;
  });
  const legend = series.map(([name], i) => legendEntry(i, LEVELS_TOP, colour(i + 3), name));
  return [
    ...grid(ticks, y, 'MiB'),
    ...lines,
    ...legend,
    text(LEFT, LEVELS_TOP - 8, '', 'MiB of it, or of the device'),
  ];
}

interface Band {
  readonly stage: (typeof STAGES)[number];
  /** Pixels. */
  readonly from: number;
  readonly to: number;
}

/** When each stage had work, as far as samples tell. */
function stageBands(moments: readonly Moment[], x: (second: number) => number): Band[] {
  return STAGES.flatMap((stage) => {
    const bands: Band[] = [];
    moments.forEach((moment, at) => {
      if (sumOf(moment, ({ running }) => running[stage] ?? 0) === 0) return;
      const from = x(moment.second);
      const to = x(moments[at + 1]?.second ?? moment.second);
      const before = bands.at(-1);
      if (before !== undefined && before.to >= from) bands[bands.length - 1] = { ...before, to };
      else bands.push({ stage, from, to });
    });
    return bands;
  });
}

const tint = (stage: Band['stage'], from: number, to: number): string =>
  rect(from, MEMORY_TOP, to - from, MEMORY_HEIGHT, STAGE_COLOURS[stage], 0.06);

function lanesPanel(bands: readonly Band[]): string[] {
  const yOf = (stage: Band['stage']) => LANES_TOP + STAGES.indexOf(stage) * LANE_HEIGHT;
  const names = STAGES.map((stage) =>
    text(LEFT - 8, yOf(stage) + LANE_HEIGHT - 5, '', stage, 'end'),
  );
  const bars = bands.map(({ stage, from, to }) =>
    rect(from, yOf(stage) + 2, Math.max(1, to - from), LANE_HEIGHT - 4, STAGE_COLOURS[stage], 0.9),
  );
  return [...names, ...bars, text(LEFT, LANES_TOP - 8, '', 'stages at work')];
}

function timeAxis(last: number, x: (second: number) => number): string[] {
  const y = LANES_TOP + STAGES.length * LANE_HEIGHT + 4;
  const ticks = niceTicks(last, 8).filter((tick) => tick <= last);
  return [
    `<line class="axis" x1="${LEFT}" y1="${y}" x2="${LEFT + PLOT_WIDTH}" y2="${y}"/>`,
    ...ticks.map((tick) => text(x(tick), y + 16, '', `${tick} s`, 'middle')),
  ];
}

function grid(ticks: readonly number[], y: (value: number) => number, unit: string): string[] {
  return ticks.flatMap((tick) => [
    `<line class="grid" x1="${LEFT}" y1="${number(y(tick))}" x2="${LEFT + PLOT_WIDTH}" y2="${number(y(tick))}"><title>${tick} ${unit}</title></line>`,
    text(LEFT - 8, y(tick) + 4, '', String(tick), 'end'),
  ]);
}

const colour = (i: number): string => COLOURS[i % COLOURS.length] ?? '#999999';
const number = (value: number): string => value.toFixed(1);
const escapeXml = (raw: string): string =>
  raw
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');

function text(x: number, y: number, style: string, content: string, anchor = 'start'): string {
  return `<text x="${number(x)}" y="${number(y)}" class="${style}" text-anchor="${anchor}">${escapeXml(content)}</text>`;
}

function rect(
  x: number,
  y: number,
  width: number,
  height: number,
  fill: string,
  opacity: number,
): string {
  return `<rect x="${number(x)}" y="${number(y)}" width="${number(width)}" height="${number(height)}" fill="${fill}" fill-opacity="${opacity}"/>`;
}

function legendEntry(i: number, top: number, fill: string, name: string): string {
  const x = LEFT + PLOT_WIDTH + 16;
  const y = top + 18 * i;
  return `${rect(x, y, 11, 11, fill, 0.85)}${text(x + 18, y + 10, '', name)}`;
}
