import type { Command } from 'commander';
import type { CliContext } from '../cli-context.ts';
import { runSoak } from '../soak/run-soak.ts';
import { withOwnRedis } from '../soak/with-own-redis.ts';
import { benchGroup } from './bench-group.ts';

interface SoakCommandOptions {
  readonly proofs: string;
  readonly kills: string;
  readonly seed?: string;
  readonly partitions: string;
  readonly proveMs: string;
}

const GROWTH_MAX_BYTES = 5 * 2 ** 20;

/**
 * `cuzk bench soak`: a simulated fleet of real processes on a Redis of its own, killed at random; nothing may be left.
 */
export function defineBenchSoak(
  program: Command,
  { config, output, setExitCode }: CliContext,
): void {
  benchGroup(program)
    .command('soak')
    .description('take simulated proofs through real processes that are killed at random')
    .option('--proofs <number>', 'how many', '1000')
    .option('--kills <number>', 'processes killed on the way', '50')
    .option(
      '--seed <number>',
      'the same seed kills and fails in the same order; printed when left out',
    )
    .option('--partitions <number>', 'of each proof', '2')
    .option('--prove-ms <ms>', 'what a partition takes a simulated device', '20')
    .action(async (options: SoakCommandOptions) => {
      const seed = Number(options.seed ?? Math.floor(Math.random() * 2 ** 31));
      output.progress(`seed ${seed}`);
      const { environment } = config;
      const report = await withOwnRedis(environment, ({ url, folder }) =>
        runSoak({
          ...{ proofs: Number(options.proofs), kills: Number(options.kills), seed },
          shape: {
            ...{ redisUrl: url, folder, environment },
            ...{ partitions: Number(options.partitions), witnessBytes: 1024 },
            ...{ handoffBytes: 256 * 1024, devices: 16, failShare: 0.01 },
            ...{ synthesizeMs: 5, proveMs: Number(options.proveMs) },
          },
          onProgress: (text) => output.progress(text),
        }),
      );
      const { lost, duplicated, invalid, permitBytes, artifacts, redisMemoryGrowthBytes } = report;
      const left = lost + duplicated + invalid + permitBytes + artifacts;
      const clean = left === 0 && Math.abs(redisMemoryGrowthBytes) <= GROWTH_MAX_BYTES;
      const lines = Object.entries({ ...report, clean }).map(
        ([name, value]) => `${name}: ${value}`,
      );
      output.result({ ...report, clean }, lines);
      if (!clean) setExitCode(1);
    });
}
