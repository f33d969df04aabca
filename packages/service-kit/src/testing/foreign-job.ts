import { Queue } from 'bullmq';
import type { Redis } from 'ioredis';
import { jobDataOf, jobIdOf } from '../queues/job-id.ts';
import type { StageUnit } from '../record/types.ts';
import { KEY_PREFIX } from '../redis/keys.ts';

/** The job of a unit as another version of the product would add it. Returns the way to remove it. */
export async function addForeignJob(
  redis: Redis,
  unit: StageUnit,
  version: number,
): Promise<{ state(): Promise<string>; remove(): Promise<void> }> {
  const queue = new Queue(unit.stage, { connection: redis, prefix: KEY_PREFIX });
  const data = { ...jobDataOf(unit), v: version };
  const job = await queue.add(unit.stage, data, { jobId: jobIdOf(unit), priority: 1 });
  return { state: () => job.getState(), remove: () => job.remove() };
}
