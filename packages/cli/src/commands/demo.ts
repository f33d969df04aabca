import type { Command } from 'commander';
import { abortOnSignals } from '../abort-on-signals.ts';
import type { CliContext } from '../cli-context.ts';
import { type DemoOutcome, type DemoReport, runDemo } from '../demo/run-demo.ts';
import { waterfallLines } from '../terminal/waterfall.ts';

/** `cuzk demo`: from nothing to a verified proof over HTTP, on this machine. */
export function defineDemo(program: Command, { config, output, setExitCode }: CliContext): void {
  program
    .command('demo')
    .description(
      'prove a real 2 KiB seal on this machine, from the HTTP request to the verified proof',
    )
    .option('--keep', 'leave the system running and print how to reach and stop it')
    .action(async (options: { keep?: true }) => {
      const outcome = await runDemo(config, {
        keep: options.keep === true,
        signal: abortOnSignals(),
        onLine: output.progress,
      });
      const { report, kept } = outcome;
      if (!report.verified) setExitCode(1);
      output.result(kept === null ? report : { ...report, kept: keptObject(outcome) }, [
        ...waterfallLines(outcome.spans),
        '',
        ...reportLines(report),
        ...keptLines(outcome),
      ]);
    });
}

function reportLines(report: DemoReport): string[] {
  const { fpMulPerSecondPerCore: before, fpMulPerSecondPerCoreAfter: after } = report;
  const rates = [before, ...(after === null ? [] : [after])];
  const rate = rates.map((each) => (each / 1e6).toFixed(1)).join(' and, after the proof, ');
  const memory = Object.entries(report.peakRssBytes).map(
    ([name, bytes]) => `${name} ${Math.round(bytes / 2 ** 20)} MiB`,
  );
  return [
    `${report.proofId}: ${report.verified ? 'VERIFIED' : 'NOT VERIFIED'}, insecure development parameters`,
    `POST to verified ${report.postToVerifiedSeconds.toFixed(1)} s of ${report.totalSeconds.toFixed(1)} s`,
    `adapter ${report.adapter}, ${rate} million Fp multiplications a second and core`,
    `peak memory: ${memory.join(', ')}`,
  ];
}

function keptObject({ kept }: DemoOutcome) {
  const processes = Object.fromEntries((kept?.processes ?? []).map(({ name, pid }) => [name, pid]));
  return { apiUrl: kept?.apiUrl, redisUrl: kept?.redisUrl, processes };
}

function keptLines(outcome: DemoOutcome): string[] {
  if (outcome.kept === null) return [];
  const { apiUrl, redisUrl, processes } = keptObject(outcome);
  const { redis, ...rest } = processes;
  const services = Object.values(rest);
  return [
    '',
    `still running: ${apiUrl} (documentation at ${apiUrl}/docs), Redis at ${redisUrl}`,
    // The services write their state to Redis on the way out, so it ends last.
    `stop it with: kill ${services.join(' ')}; sleep 5; kill ${redis}`,
  ];
}
