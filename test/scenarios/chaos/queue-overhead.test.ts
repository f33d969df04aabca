import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect } from 'vitest';
import { itLong } from '../testing/long-scenario.ts';

const CUZK = fileURLToPath(new URL('../../../packages/cli/bin/cuzk.mjs', import.meta.url));

/**
 * Breaks: nothing; work that takes no time comes at 200 partitions a second.
 * Holds: what queues, record and permits cost is less than 5 ms a partition: two cores carry 200 a second with half of
 * their time left.
 * How: `cuzk bench queue`: processor time of the CPU process, the prover and Redis over the partitions, less that of
 * the artifacts. The rate that is reached and the waits depend on what else the machine does, and are only printed.
 */
itLong('queues add less than 5 ms to a partition at 200 partitions a second', async () => {
  const run = promisify(execFile)(process.execPath, [CUZK, 'bench', 'queue', '--json']);
  // It ends with 1 where a bar is missed, the rate too.
  const { stdout } = await run.catch((error: { stdout: string }) => error);
  console.log(stdout.trim());
  const { failed, overheadMs } = JSON.parse(stdout) as { failed: number; overheadMs: number };
  expect(failed).toBe(0);
  expect(overheadMs).toBeLessThan(5);
});
