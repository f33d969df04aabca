import type { Command } from 'commander';
import { parseCount } from '../arguments.ts';
import { runQueueBench } from '../bench/queue/run-queue.ts';
import type { CliContext } from '../cli-context.ts';
import { withOwnRedis } from '../soak/with-own-redis.ts';
import { benchGroup } from './bench-group.ts';

const OVERHEAD_MAX_MS = 5;
/** Sent over reached rate at which the fleet has not kept up. */
const LAG_MAX = 1.1;
const PARTITIONS = 10;
const WITNESS_BYTES = 4096;
const DEVICES = 8;

/** `cuzk bench queue`: what queues, record and permits cost a partition, with work that takes no time. */
export function defineBenchQueue(
  program: Command,
  { config, output, setExitCode }: CliContext,
): void {
  benchGroup(program)
    .command('queue')
    .description('processor time that queues, record and permits take for a partition')
    .option('--rate <number>', 'partitions a second', '200')
    .option('--seconds <number>', 'for how long', '10')
    .action(async (options: { readonly rate: string; readonly seconds: string }) => {
      const rate = parseCount('--rate', options.rate, 100_000);
      const seconds = parseCount('--seconds', options.seconds, 3_600);
      const { environment } = config;
      const report = await withOwnRedis(environment, ({ url, pid, folder }) =>
        runQueueBench({
          ...{ rate, seconds, redisPid: pid },
          shape: {
            ...{ redisUrl: url, folder, environment, devices: DEVICES, proveMs: 0 },
            ...{ partitions: PARTITIONS, witnessBytes: WITNESS_BYTES, failShare: 0 },
            ...{ synthesizeMs: 0, handoffBytes: 1_000 * WITNESS_BYTES },
          },
        }),
      );
      const holds =
        report.failed === 0 &&
        report.overheadMs < OVERHEAD_MAX_MS &&
        report.partitionsPerSecond * LAG_MAX >= rate;
      const lines = Object.entries({ ...report, holds }).map(
        ([name, value]) => `${name}: ${JSON.stringify(value)}`,
      );
      output.result({ ...report, holds }, lines);
      if (!holds) setExitCode(1);
    });
}
