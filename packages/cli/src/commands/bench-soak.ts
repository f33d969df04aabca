import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Command } from 'commander';
import type { CliContext } from '../cli-context.ts';
import { findFreePort } from '../fleet/free-port.ts';
import { redisPlan, waitForRedis } from '../fleet/redis-server.ts';
import { startProcess } from '../fleet/started-process.ts';
import { runSoak } from '../soak/run-soak.ts';
import { benchGroup } from './bench-group.ts';

interface SoakCommandOptions {
  readonly proofs: string;
  readonly kills: string;
  readonly seed?: string;
  readonly partitions: string;
  readonly proveMs: string;
}

const REDIS_TIMEOUT_MS = 10_000;
const GROWTH_MAX_BYTES = 5 * 2 ** 20;

/** `cuzk bench soak`: a simulated fleet of real processes on a Redis of its own, killed at random; nothing may be left. */
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
      const folder = mkdtempSync(join(tmpdir(), 'cuzk-soak-'));
      const { environment } = config;
      const port = await findFreePort();
      const redisOutput = { file: join(folder, 'redis.log') };
      const plan = redisPlan({ port, folder, environment, output: redisOutput });
      const redis = await startProcess(plan);
      try {
        await waitForRedis(port, REDIS_TIMEOUT_MS);
        const report = await runSoak({
          ...{ proofs: Number(options.proofs), kills: Number(options.kills), seed },
          shape: {
            ...{ redisUrl: `redis://127.0.0.1:${port}`, folder, environment },
            ...{ partitions: Number(options.partitions), witnessBytes: 1024 },
            ...{ handoffBytes: 256 * 1024, devices: 16, failShare: 0.01 },
            proveMs: Number(options.proveMs),
          },
          onProgress: (text) => output.progress(text),
        });
        const { lost, duplicated, invalid, permitBytes, artifacts, redisMemoryGrowthBytes } =
          report;
        const left = lost + duplicated + invalid + permitBytes + artifacts;
        const clean = left === 0 && Math.abs(redisMemoryGrowthBytes) <= GROWTH_MAX_BYTES;
        const lines = Object.entries({ ...report, clean }).map(
          ([name, value]) => `${name}: ${value}`,
        );
        output.result({ ...report, clean }, lines);
        if (!clean) setExitCode(1);
      } finally {
        await redis.stop(REDIS_TIMEOUT_MS);
        rmSync(folder, { recursive: true, force: true });
      }
    });
}
