import { type Command, Option } from 'commander';
import type { CliContext } from '../cli-context.ts';
import { writeOutput } from '../files/output-file.ts';
import { waterfallLines } from '../terminal/waterfall.ts';
import { chromeTrace } from '../trace/chrome-trace.ts';
import { cuzkTimingLines } from '../trace/cuzk-timing.ts';
import { historySpans } from '../trace/history-spans.ts';
import { type ProofHistory, readHistory } from '../trace/proof-history.ts';

const FORMATS = ['waterfall', 'cuzk-timing', 'chrome'] as const;
type Format = (typeof FORMATS)[number];

interface TraceOptions {
  readonly url: string;
  readonly format: Format;
  readonly out?: string;
}

/** `cuzk trace`: where the time of a proof went, from its record; no collector is needed. */
export function defineTrace(program: Command, { config, output }: CliContext): void {
  program
    .command('trace')
    .description('show where the time of a proof went, from its record')
    .argument('<proof>', 'id of the proof')
    .option('--url <url>', 'address of the API', 'http://127.0.0.1:8080')
    .addOption(
      new Option(
        '--format <format>',
        "waterfall; cuzk-timing: lines of cuzk's log; chrome: a trace-event file for Perfetto",
      )
        .choices(FORMATS)
        .default('waterfall'),
    )
    .option('--out <file>', 'write it to a file')
    .action(async (proofId: string, options: TraceOptions) => {
      const history = await readHistory({ url: options.url, key: config.apiKey }, proofId);
      const lines = linesOf(history, options.format);
      if (options.out !== undefined) {
        await writeOutput(options.out, `${lines.join('\n')}\n`);
        const { format, out } = options;
        output.result({ proofId, format, file: out }, [`${format} of ${proofId} is in ${out}`]);
        return;
      }
      output.result(objectOf(history, options.format, lines), lines);
    });
}

function linesOf(history: ProofHistory, format: Format): string[] {
  if (format === 'chrome') return [JSON.stringify(chromeTrace(history))];
  if (format === 'cuzk-timing') return cuzkTimingLines(history);
  const { proof, originMs, endMs } = history;
  const seconds = ((endMs - originMs) / 1000).toFixed(2);
  const trace = proof.traceId ? `, trace ${proof.traceId}` : '';
  const since = proof.endedAt === null ? 'for' : 'after';
  return [
    `${proof.proofId} ${proof.state} ${since} ${seconds} s${trace}`,
    ...waterfallLines(historySpans(history)),
  ];
}

function objectOf(history: ProofHistory, format: Format, lines: string[]): object {
  if (format === 'chrome') return chromeTrace(history);
  const { proofId, state, traceId = null } = history.proof;
  if (format === 'cuzk-timing') return { proofId, state, traceId, lines };
  return { proofId, state, traceId, spans: historySpans(history) };
}
