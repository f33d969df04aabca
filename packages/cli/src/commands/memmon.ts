import { existsSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { CuzkError } from '@cuzk/core/errors';
import type { Command } from 'commander';
import { abortOnSignals } from '../abort-on-signals.ts';
import type { CliContext } from '../cli-context.ts';
import { openOutput, writeOutput } from '../files/output-file.ts';
import { readInput } from '../files/read-input.ts';
import { folderOwner } from '../fleet/folder-lock.ts';
import { memoryChart } from '../memmon/memory-chart.ts';
import { MEMORY_HEADER, memoryLine, parseMemoryTable } from '../memmon/memory-table.ts';
import { createMemorySampler } from '../memmon/sample-memory.ts';
import type { Output } from '../terminal/output.ts';

interface MonitorOptions {
  readonly out: string;
  readonly interval: string;
  readonly data?: string;
  readonly for?: string;
}

/** `cuzk memmon`: memory of every process of a deployment on this host over time, and `plot`, a chart of it. */
export function defineMemmon(program: Command, { output }: CliContext): void {
  const memmon = program
    .command('memmon')
    .description('write the memory of all processes of a deployment on this host to a CSV file')
    .option('--out <file>', 'CSV file', 'memory.csv')
    .option('--interval <seconds>', 'seconds between samples', '1')
    .option('--data <folder>', 'only the system that cuzk serve keeps in this folder')
    .option('--for <seconds>', 'end after so many seconds; without it, at Ctrl-C')
    .option('--json', 'print one JSON object on stdout; everything else goes to stderr')
    .action((options: MonitorOptions) => monitor(options, output));
  memmon
    .command('plot')
    .description('draw a chart of such a file, with the stages marked')
    .argument('<csv>', 'file that cuzk memmon wrote')
    .option('--out <file>', 'SVG file; the name of the CSV file with .svg by default')
    .action(async (file: string, { out }: { readonly out?: string }) => {
      const rows = parseMemoryTable(Buffer.from(await readInput(file)).toString());
      const target = out ?? file.replace(/(\.csv)?$/, '.svg');
      await writeOutput(target, memoryChart(rows));
      output.result({ file: target, samples: rows.length }, [`${target}: ${rows.length} samples`]);
    });
}

async function monitor(options: MonitorOptions, output: Output): Promise<void> {
  const intervalMs = 1000 * secondsOf(options.interval, '--interval');
  const endsAt =
    options.for === undefined
      ? Number.POSITIVE_INFINITY
      : performance.now() + 1000 * secondsOf(options.for, '--for');
  const signal = abortOnSignals();
  const sample = createMemorySampler(options.data === undefined ? null : ownerOf(options.data));
  const file = await openOutput(options.out);
  await file.write(`${MEMORY_HEADER}\n`);
  const peaks = new Map<string, number>();
  let samples = 0;
  for (let next = performance.now(); !signal.aborted && next < endsAt; next += intervalMs) {
    const rows = await sample();
    if (samples === 0 && rows.length === 0) output.progress('no process of cuzk yet');
    await file.write(rows.map((row) => `${memoryLine(row)}\n`).join(''));
    for (const row of rows) {
      peaks.set(row.process, Math.max(peaks.get(row.process) ?? 0, row.residentBytes));
    }
    samples += rows.length;
    const pauseMs = Math.max(0, next + intervalMs - performance.now());
    await delay(pauseMs, undefined, { signal }).catch(() => {});
  }
  await file.close();
  output.result({ file: options.out, samples, peakRssBytes: Object.fromEntries(peaks) }, [
    ...[...peaks].map(([name, bytes]) => `${name}: at most ${Math.round(bytes / 2 ** 20)} MiB`),
    `${options.out}: ${samples} samples`,
  ]);
}

/** The process of `cuzk serve` that has this folder. */
function ownerOf(folder: string): number {
  const pid = existsSync(folder) ? folderOwner(folder) : null;
  if (pid !== null) return pid;
  throw new CuzkError('REQUEST_INVALID', 'no system runs in this folder', {
    expected: 'the folder of a running cuzk serve',
    found: folder,
  });
}

function secondsOf(text: string, option: string): number {
  const seconds = Number(text);
  if (seconds >= 0.1 && seconds <= 1e6) return seconds;
  throw new CuzkError('REQUEST_INVALID', `${option} is no number of seconds`, {
    expected: '0.1 or more',
    found: text.slice(0, 16),
  });
}
