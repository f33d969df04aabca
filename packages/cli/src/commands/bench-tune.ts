import { planMsm } from '@cuzk/gpu/msm/msm-plan';
import { type OpenedProver, openProver } from '@cuzk/gpu/startup/open-prover';
import type { Tuning } from '@cuzk/gpu/startup/tune-device';
import { tuningText } from '@cuzk/gpu/startup/tuning-text';
import { openDeviceFolder } from '@cuzk/service-kit/circuits/device-folder';
import type { Command } from 'commander';
import type { CliContext } from '../cli-context.ts';
import { keepCompiledKernels } from '../config.ts';
import { secondsText } from '../terminal/figures.ts';
import { benchGroup } from './bench-group.ts';

const MSM_LOGS = [12, 16, 20, 22, 24, 27];

interface TuneReport extends Tuning {
  readonly adapter: string;
  /** Windows that an MSM in G1 of 2^key points is cut into. */
  readonly windows: Readonly<Record<string, number>>;
}

/** `cuzk bench tune`: measures this device's choices anew, keeps them, and shows the table. */
export function defineBenchTune(program: Command, { config, output }: CliContext): void {
  benchGroup(program)
    .command('tune')
    .description('choose multipliers and windows for this device anew, and show why')
    .action(async () => {
      keepCompiledKernels(config);
      const folder = openDeviceFolder(config.cacheDir, output.progress);
      const prover = await openProver(config.gpu, {
        ...folder,
        read: async (kind, key) => (kind === 'tuning' ? null : folder.read(kind, key)),
      });
      try {
        const report = reportOf(prover);
        output.result(report, reportLines(report));
      } finally {
        prover.close();
      }
    });
}

function reportOf({ context, tuning }: OpenedProver): TuneReport {
  if (tuning === undefined) throw new TypeError('a prover with a store is tuned');
  const windows = MSM_LOGS.map((log) => [
    `2^${log}`,
    planMsm(2 ** log, context.traits, 'g1').windows,
  ]);
  return { adapter: context.traits.description, ...tuning, windows: Object.fromEntries(windows) };
}

function reportLines(report: TuneReport): string[] {
  const { multipliers, round, seconds } = report.measured;
  return [
    `${report.adapter}: measured in ${secondsText(seconds)}`,
    ...multipliers.map(
      ({ field, variant, millionPerSecond }) =>
        `${field} ${variant.padEnd(12)} ${millionPerSecond.toFixed(1).padStart(10)} million products and subtractions a second`,
    ),
    ...(round === null
      ? []
      : [
          `${(round.additionsPerSecond / 1e6).toPrecision(4)} million additions of points a second`,
        ]),
    `round ${(1e6 * report.msmRates.round).toFixed(0)} µs; windows ${Object.entries(report.windows)
      .map(([size, windows]) => `${size}: ${windows}`)
      .join(', ')}`,
    `chosen: ${tuningText(report)}`,
  ];
}
