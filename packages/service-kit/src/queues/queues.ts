import { Queue } from 'bullmq';
import type { Redis } from 'ioredis';
import type { Logger } from '../logger.ts';
import type { NextUnit, Stage } from '../record/types.ts';
import { STAGES } from '../record/types.ts';
import { KEY_PREFIX } from '../redis/keys.ts';
import { jobDataOf, jobIdOf } from './job-id.ts';

/** Chores that no proof waits for: retention sweeps. */
export const MAINTENANCE_QUEUE = 'maintenance';

/** No job carries more: payloads live in the artifact store. */
const JOB_DATA_MAX = 1024;
/** Jobs that are on their way to Redis at once. */
const AT_ONCE = 32;
/** Jobs that `mendSome` looks at. */
const LOOKED_AT = 8;
/** Twice the longest that any worker puts a job back for. */
const DELAYED_MS_MAX = 120_000;
/** BullMQ keeps the time at which a delayed job is due times this, and an order of its own in the rest. */
const DELAYED_SCORE_PER_MS = 0x1000;
/** A chore that is so many periods late is lost. */
const CHORE_LATE = 3;

export interface QueueDepth {
  readonly queue: string;
  readonly waiting: number;
  readonly active: number;
  readonly delayed: number;
}

/** The sending side of all queues, on one connection that the caller owns. */
export class Queues {
  readonly #redis: Redis;
  readonly #queues: ReadonlyMap<string, Queue>;

  constructor(redis: Redis, logger: Logger) {
    this.#redis = redis;
    const open = (name: string): [string, Queue] => {
      const queue = new Queue(name, {
        connection: redis,
        prefix: KEY_PREFIX,
        skipWaitingForReady: true,
        streams: { events: { maxLen: 1000 } },
        defaultJobOptions: { attempts: 1, removeOnComplete: true, removeOnFail: true },
      });
      queue.on('error', (error) => logger.warn({ err: error, queue: name }, 'queue error'));
      return [name, queue];
    };
    this.#queues = new Map([...STAGES, MAINTENANCE_QUEUE].map(open));
  }

  #queue(name: string): Queue {
    const queue = this.#queues.get(name);
    if (!queue) throw new RangeError(`queue: no queue is called ${name}`);
    return queue;
  }

  /** Adds the jobs of units that are ready. A job that is there already stays as it is. */
  async addUnits(units: readonly NextUnit[]): Promise<void> {
    for (let start = 0; start < units.length; start += AT_ONCE) {
      // Their order does not matter: the priority has it.
      await Promise.all(units.slice(start, start + AT_ONCE).map((unit) => this.#add(unit)));
    }
  }

  /** Gives jobs that wait the places of their units; one that is not there, or runs, stays as it is. */
  async raiseUnits(units: readonly NextUnit[]): Promise<void> {
    for (const unit of units) {
      const queue = this.#queue(unit.stage);
      const job = await queue.getJob(jobIdOf(unit));
      await job?.changePriority({ priority: unit.jobPriority }).catch(async (error: unknown) => {
        // done meanwhile?
        if ((await queue.getJob(jobIdOf(unit))) !== undefined) throw error;
      });
    }
  }

  #add(unit: NextUnit): Promise<unknown> {
    return this.#queue(unit.stage).add(unit.stage, jobDataOf(unit), {
      jobId: jobIdOf(unit),
      priority: unit.jobPriority, // from 1: BullMQ runs priority 0 before all others
      sizeLimit: JOB_DATA_MAX,
    });
  }

  /**
   * Looks at some of the jobs that should wait or run, others each time: one that is there but in no list of its
   * queue (half of it was lost), or delayed for hours by a clock that was wrong, would not run and never be added
   * again. It is made anew.
   */
  async mendSome(units: readonly NextUnit[]): Promise<readonly NextUnit[]> {
    const start = Math.floor(Math.random() * units.length);
    const some = [...units.slice(start), ...units.slice(0, start)].slice(0, LOOKED_AT);
    const broken = await Promise.all(
      some.map(async (unit) => {
        if (!(await this.#isStranded(unit))) return [];
        await this.#queue(unit.stage).remove(jobIdOf(unit));
        await this.#add(unit);
        return [unit];
      }),
    );
    return broken.flat();
  }

  async #isStranded(unit: NextUnit): Promise<boolean> {
    const queue = this.#queue(unit.stage);
    const state = await queue.getJobState(jobIdOf(unit));
    if (state !== 'delayed') return state === 'unknown';
    const score = await this.#redis.zscore(queue.toKey('delayed'), jobIdOf(unit));
    const dueAt = Number(score ?? 0) / DELAYED_SCORE_PER_MS;
    return dueAt - Date.now() > DELAYED_MS_MAX;
  }

  /** Repeats a chore, whoever asks and however often. */
  async repeatChore(name: string, everyMs: number): Promise<void> {
    await this.#queue(MAINTENANCE_QUEUE).upsertJobScheduler(
      name,
      { every: everyMs },
      { name, data: {}, opts: { removeOnComplete: true, removeOnFail: true } },
    );
  }

  /** Begins a chore anew that has not come for a while: a Redis that lost it, or is another one, never would. */
  async mendChore(name: string, everyMs: number): Promise<void> {
    const scheduled = await this.#queue(MAINTENANCE_QUEUE).getJobScheduler(name);
    if (Date.now() - (scheduled?.next ?? 0) <= CHORE_LATE * everyMs) return;
    await this.repeatChore(name, everyMs);
  }

  async depths(): Promise<readonly QueueDepth[]> {
    const read = async ([name, queue]: [string, Queue]) => {
      const counts = await queue.getJobCounts('wait', 'prioritized', 'active', 'delayed');
      const waiting = (counts.wait ?? 0) + (counts.prioritized ?? 0);
      return { queue: name, waiting, active: counts.active ?? 0, delayed: counts.delayed ?? 0 };
    };
    return Promise.all([...this.#queues].map(read));
  }

  /** Job ids in a stage's queue in the order they will run; for tests and diagnosis. */
  async waitingJobIds(stage: Stage): Promise<readonly string[]> {
    const jobs = await this.#queue(stage).getJobs(['prioritized', 'wait', 'delayed'], 0, -1, true);
    return jobs.map((job) => String(job.id));
  }

  async close(): Promise<void> {
    await Promise.all([...this.#queues.values()].map((queue) => queue.close()));
  }
}
