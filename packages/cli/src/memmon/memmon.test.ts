import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { runCommandLine, runJson } from '../testing/run-program.ts';
import { linearScale, niceTicks } from './chart-scale.ts';
import { findProcesses } from './find-processes.ts';
import { memoryChart } from './memory-chart.ts';
import { MEMORY_HEADER, type MemoryRow, memoryLine, parseMemoryTable } from './memory-table.ts';
import { levelsOf, metricsAddress } from './read-metrics.ts';
import { nameAll } from './sample-memory.ts';

const HAS_PROC = existsSync('/proc/self/stat');
if (!HAS_PROC) console.log('skipped: processes are found in /proc, which is not here');
const folder = mkdtempSync(join(tmpdir(), 'cuzk-memmon-'));
const children: ReturnType<typeof spawn>[] = [];
afterAll(() => {
  for (const child of children) child.kill('SIGKILL');
});

/** A folder in the form of /proc: pid → parent, command line, environment. */
function fakeProc(processes: Record<number, readonly [number, string, string]>): string {
  const proc = mkdtempSync(join(folder, 'proc-'));
  for (const [pid, [parent, line, environment]] of Object.entries(processes)) {
    mkdirSync(join(proc, pid));
    writeFileSync(join(proc, pid, 'stat'), `${pid} (node (x) y) S ${parent} 1 1`);
    writeFileSync(join(proc, pid, 'cmdline'), line.replaceAll(' ', '\0'));
    writeFileSync(join(proc, pid, 'environ'), environment.replaceAll(' ', '\0'));
  }
  return proc;
}

describe('the processes of a deployment', () => {
  const proc = fakeProc({
    10: [1, 'node packages/cli/dist/main.js serve', ''],
    11: [10, 'redis-server 127.0.0.1:7001', ''],
    12: [
      10,
      'node --enable-source-maps /app/services/api/dist/main.js',
      'REDIS_URL=redis://127.0.0.1:7001 PORT=8080',
    ],
    13: [
      10,
      'node /app/services/gpu-worker/dist/main.js',
      'REDIS_URL=redis://127.0.0.1:7001 OPS_PORT=9466',
    ],
    14: [13, 'node /app/services/gpu-worker/dist/device-child.js', ''],
    20: [1, 'node /other/services/api/dist/main.js', 'REDIS_URL=redis://elsewhere:7002'],
    21: [1, 'redis-server *:7002', ''],
    30: [1, 'vim services/api/src/main.ts', ''],
  });

  it('are the services, their device processes and the Redis they use', () => {
    const names = findProcesses(null, proc).map(({ pid, name }) => [pid, name]);
    expect(names).toEqual([
      [11, 'redis'],
      [12, 'api'],
      [13, 'gpu-worker'],
      [14, 'gpu-worker/device'],
      [20, 'api'],
    ]);
  });

  it('are those below one process when that is asked for', () => {
    expect(findProcesses(10, proc).map(({ pid }) => pid)).toEqual([11, 12, 13, 14]);
    expect(findProcesses(13, proc).map(({ pid }) => pid)).toEqual([13, 14]);
  });

  it('keep their names, and the next one of a kind takes the name of one that is gone', () => {
    const names = new Map<number, string>();
    const process = (pid: number) => ({ pid, parentPid: 1, name: 'api', environment: {} });
    nameAll(names, [process(5)]);
    nameAll(names, [process(3), process(5)]);
    expect([names.get(5), names.get(3)]).toEqual(['api', 'api#3']);
    nameAll(names, [process(3), process(9)]);
    expect([...names].toSorted()).toEqual([
      [3, 'api#3'],
      [9, 'api'],
    ]);
  });

  it('show where their metrics are', () => {
    const [, api, gpu] = findProcesses(10, proc);
    expect([api, gpu].map((found) => found && metricsAddress(found))).toEqual([
      'http://127.0.0.1:8080/metrics',
      'http://127.0.0.1:9466/metrics',
    ]);
    const environment = { METRICS_PORT: '9000', METRICS_HOST: '0.0.0.0' };
    expect(metricsAddress({ pid: 1, parentPid: 0, name: 'synth-worker', environment })).toBe(
      'http://127.0.0.1:9000/metrics',
    );
    expect(
      metricsAddress({ pid: 1, parentPid: 0, name: 'synth-worker', environment: {} }),
    ).toBeNull();
  });
});

it('levels are read from a page of metrics', () => {
  const page = [
    '# HELP cuzk_gpu_memory_bytes x',
    'cuzk_gpu_memory_bytes{adapter="a",class="srs"} 100',
    'cuzk_gpu_memory_bytes{adapter="a",class="witness"} 20',
    'cuzk_buffers_in_flight{class="witness",stage="prove"} 2',
    'cuzk_buffers_in_flight_bytes{class="witness",stage="prove"} 7e3',
    'cuzk_stage_units_running{stage="prove"} 1',
    'cuzk_stage_units_running{stage="ingest"} 0',
  ].join('\n');
  expect(levelsOf(page)).toEqual({
    gpuBytes: 120,
    buffersInFlight: 2,
    buffersInFlightBytes: 7000,
    running: { prove: 1, ingest: 0 },
  });
  expect(levelsOf('')).toMatchObject({ gpuBytes: null, running: {} });
});

const row = (changes: Partial<MemoryRow>): MemoryRow => ({
  time: 1_700_000_000,
  process: 'api',
  pid: 7,
  residentBytes: 200 * 2 ** 20,
  proportionalBytes: 150 * 2 ** 20,
  swapBytes: 0,
  gpuBytes: null,
  buffersInFlight: 1,
  buffersInFlightBytes: 70 * 2 ** 20,
  running: { prove: 1 },
  ...changes,
});

describe('the table', () => {
  it('reads back what was written', () => {
    const rows = [row({}), row({ proportionalBytes: null, gpuBytes: 5, running: {} })];
    const text = `${[MEMORY_HEADER, ...rows.map(memoryLine)].join('\n')}\n`;
    expect(parseMemoryTable(text)).toEqual(rows);
  });

  it.each([
    ['another header', 'time,rss\n1,2\n'],
    ['nothing', ''],
    ['a short line', `${MEMORY_HEADER}\n1,api,7\n`],
    ['a word for a number', `${MEMORY_HEADER}\nx,api,7,1,,0,,,,\n`],
  ])('refuses %s with the line', (_what, text) => {
    expect(() => parseMemoryTable(text)).toThrow(/line \d+ is not one of cuzk memmon/);
  });
});

describe('the chart', () => {
  const base = row({}).time;
  const rows = Array.from({ length: 100 }, (_, i) => [
    row({
      time: base + i,
      running: i >= 20 && i < 60 ? { synthesize: 2 } : { prove: i >= 60 ? 1 : 0 },
    }),
    row({ time: base + i, process: 'gpu-worker/device', proportionalBytes: i * 4 * 2 ** 20 }),
  ]).flat();

  it('stacks the processes, names them, and marks the stages when they were at work', () => {
    const svg = memoryChart(rows);
    expect(svg.match(/<polygon /g)).toHaveLength(2);
    expect(svg).toContain('>gpu-worker/device</text>');
    expect(svg).toContain('memory of all processes over 99 s, at most 546 MiB together');
    // 86 … 810 px are 0 … 99 s: synthesis from 20 to 60.
    const bars = [
      ...svg.matchAll(
        /<rect x="([\d.]+)" y="[\d.]+" width="([\d.]+)" height="14.0" fill="(#\w+)"/g,
      ),
    ];
    const synthesis = bars.find(([, , , fill]) => fill === '#0072b2');
    expect(Number(synthesis?.[1])).toBeCloseTo(86 + (724 * 20) / 99, 0);
    expect(Number(synthesis?.[2])).toBeCloseTo((724 * 40) / 99, 0);
    expect(svg).not.toMatch(/NaN|Infinity|undefined/);
  });

  it('holds what a busy service said last, and puts small processes together', () => {
    const said = row({ gpuBytes: 100 * 2 ** 20 });
    const silent = {
      gpuBytes: null,
      buffersInFlight: null,
      buffersInFlightBytes: null,
      running: {},
    };
    const gap = [
      said,
      row({ ...silent, time: base + 1 }),
      row({ gpuBytes: 100 * 2 ** 20, time: base + 2 }),
    ];
    const [line] = [...memoryChart(gap).matchAll(/<polyline [^>]*points="([^"]*)"/g)];
    const heights = (line?.[1] ?? '').split(' ').map((point) => point.split(',')[1]);
    expect(new Set(heights).size).toBe(1);
    const many = Array.from({ length: 12 }, (_, i) =>
      row({ process: `api#${i}`, pid: i, proportionalBytes: (i + 1) * 2 ** 20 }),
    );
    const svg = memoryChart(many);
    expect(svg.match(/<polygon /g)).toHaveLength(8);
    expect(svg).toContain('>5 others</text>');
    expect(svg).toContain('at most 78 MiB together');
  });

  it('of nothing, and of one sample, has no broken numbers', () => {
    for (const few of [[], [row({})]]) {
      expect(memoryChart(few)).not.toMatch(/NaN|Infinity|undefined/);
    }
  });

  it('escapes names', () => {
    expect(memoryChart([row({ process: '<b>&"' })])).toContain('&lt;b&gt;&amp;&quot;');
  });
});

it('ticks are round and reach over the largest value', () => {
  expect(niceTicks(95, 5)).toEqual([0, 20, 40, 60, 80, 100]);
  expect(niceTicks(0.7, 7)).toEqual([0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7]);
  expect(niceTicks(0, 5)).toEqual([0]);
  expect(linearScale([0, 0], [5, 9])(3)).toBe(5);
});

describe('cuzk memmon', () => {
  it.skipIf(!HAS_PROC)(
    'samples a running service once an interval, and plots the file',
    async () => {
      const main = join(folder, 'services', 'api', 'dist', 'main.js');
      mkdirSync(join(main, '..'), { recursive: true });
      writeFileSync(
        main,
        'globalThis.ballast = Buffer.alloc(50e6, 1); setInterval(() => {}, 1000);',
      );
      const child = spawn(process.execPath, [main], { env: { REDIS_URL: 'redis://elsewhere:1' } });
      children.push(child);
      const csv = join(folder, 'memory.csv');
      const { value } = await runJson(['memmon', '--out', csv, '--interval', '0.2', '--for', '1']);
      const own = parseMemoryTable(readFileSync(csv, 'utf8')).filter(
        ({ pid }) => pid === child.pid,
      );
      expect(own.length).toBeGreaterThanOrEqual(3);
      expect(own.at(-1)?.residentBytes).toBeGreaterThan(50e6);
      expect(value.file).toBe(csv);
      const plotted = await runJson(['memmon', 'plot', csv]);
      expect(plotted.value.file).toBe(join(folder, 'memory.svg'));
      const chart = join(folder, 'chart.svg');
      expect((await runJson(['memmon', 'plot', csv, '--out', chart])).value.file).toBe(chart);
      expect(readFileSync(join(folder, 'memory.svg'), 'utf8')).toContain('</svg>');
    },
  );

  it('refuses a folder in which nothing runs and an interval that is none', async () => {
    const away = await runCommandLine(['memmon', '--data', join(folder, 'nowhere')]);
    expect([away.exitCode, away.stderr]).toEqual([1, expect.stringContaining('REQUEST_INVALID')]);
    const never = await runCommandLine(['memmon', '--interval', '0']);
    expect(never.exitCode).toBe(1);
  });
});
