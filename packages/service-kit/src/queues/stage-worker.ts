import { setTimeout as sleep } from 'node:timers/promises';
import { DelayedError, type Job, Worker } from 'bullmq';
import type { Service } from '../open-service.ts';
import { SUSPICIOUS_CODES } from '../record/changes.ts';
import { claimUnit, isRefusal } from '../record/claim.ts';
import { problemOf } from '../record/problem.ts';
import { clearSuspicion } from '../record/suspects.ts';
import type { ClaimOf, Refusal, Stage, StageUnit } from '../record/types.ts';
import { closeRedis, duplicateRedis, type Redis } from '../redis/connection.ts';
import { KEY_PREFIX } from '../redis/keys.ts';
import { watchCopies } from '../redis/unanswered.ts';
import { setSpanError } from '../telemetry/trace-context.ts';
import { type Attempt, endAttempt, followResult } from './end-attempt.ts';
import { jobIdOf, unitOfJob } from './job-id.ts';
import { observeAttempt } from './observe-attempt.ts';
import { orLetGo } from './or-let-go.ts';
import { rememberStops } from './remember-stops.ts';
import type { Admission, StageWorkerOptions } from './stage-options.ts';
import { DrainSignal, StopSignal } from './stop-reasons.ts';

/**
 * A job fetched and not claimed belongs to nobody in the record: only the queue knows of it, and gives it to another
 * worker when the lock of a dead one has run out and was looked for. One that was lost and whose owner lives does no
 * harm: the claim refuses the other.
 */
const LOCK_MS = 6_000;
const STALLED_CHECK_MS = 3_000;
/** A live owner may lose its lock as often as it likes (its loop stood still, Redis was away). */
const STALLED_MAX = 1_000;
/** A unit that is not for this worker is offered again after the first time … */
const NOT_HERE_MS = 10;
/** … and this worker stands back for the second, so that another one gets it. */
const STAND_BACK_MS = 400;
/** A worker that takes no further unit yet looks again after this. */
const NOT_YET_MS = 25;
/** A unit that was not admitted is looked at again after this. */
const NOT_ADMITTED_MS = 500;
/** A job fetched while this worker was pausing goes to another at once. */
const PUT_BACK_MS = 1;
/** A worker whose store was full takes nothing for this long. */
const STORE_FULL_MS = 2_000;

interface Running {
  readonly proofId: string;
  readonly jobId: string;
  readonly abort: AbortController;
}

/** Takes the units of one stage from its queue, one after another, and tells the record how each ended. */
export class StageWorker<S extends Stage> {
  readonly #service: Service;
  readonly #options: StageWorkerOptions<S>;
  readonly #worker: Worker;
  readonly #connection: Redis;
  readonly #running = new Map<string, Running>();
  /** The word to stop may come before the answer to the claim of that work. */
  readonly #stopped = rememberStops();
  /** Jobs given back to the queue while this worker works on another unit in their slot. */
  readonly #passedOn = new Set<string>();
  readonly #stopListening: () => void;
  readonly #draining = new AbortController();
  /** Units claimed or being claimed. */
  #taken = 0;
  #paused = false;

  private constructor(service: Service, options: StageWorkerOptions<S>, connection: Redis) {
    this.#service = service;
    this.#options = options;
    this.#connection = connection;
    // Work is aborted by the record (stop channel) and by drain, not by BullMQ: a lock that was lost while the
    // record still names us as owner is no reason to throw work away.
    const process = (job: Job, token?: string) => this.#process(job, token);
    this.#worker = new Worker(options.stage, process, {
      connection,
      prefix: KEY_PREFIX,
      name: service.identity.owner,
      concurrency: options.concurrency + (options.beginsInMs === undefined ? 0 : 1),
      lockDuration: LOCK_MS,
      stalledInterval: STALLED_CHECK_MS,
      maxStalledCount: STALLED_MAX,
      drainDelay: 5,
      removeOnComplete: { count: 0 },
      removeOnFail: { count: 0 },
    });
    this.#worker.on('error', (error) => {
      // The queue goes on renewing the lock of a job that was passed on.
      if ([...this.#passedOn].some((jobId) => error.message.includes(jobId))) return;
      service.logger.warn({ err: error }, 'queue worker error');
    });
    this.#worker.on('failed', (job, error) =>
      service.logger.error({ err: error, job: job?.id }, 'job ended outside of the record'),
    );
    this.#stopListening = service.notifications.onStop((stopped) => this.#stop(stopped));
  }

  static async start<S extends Stage>(
    service: Service,
    options: StageWorkerOptions<S>,
  ): Promise<StageWorker<S>> {
    const { metrics, liveness } = service;
    const { stage } = options;
    const connection = await duplicateRedis(service.redis, stage, service.logger);
    // BullMQ waits for jobs on a copy that it makes of this connection; nothing else shows when that one is dead.
    liveness.watch(`queue ${stage}`, watchCopies(connection));
    const worker = new StageWorker(service, options, connection);
    await worker.#worker.waitUntilReady();
    metrics.observe('cuzk_stage_units_running', (observe) => observe(worker.running, { stage }));
    // A count that has never been zero has no increase when it becomes one.
    metrics.count('cuzk_self_check_failures', { stage }, 0);
    metrics.count('cuzk_failures', { stage, code: 'INTERNAL' }, 0);
    return worker;
  }

  /** Units being worked on. */
  get running(): number {
    return this.#running.size;
  }

  /** Takes no more until `resume`; running work goes on. */
  async pause(): Promise<void> {
    this.#paused = true; // A fetch that is under way may still bring a job: it is put back.
    await this.#worker.pause(true);
  }

  async resume(): Promise<void> {
    this.#paused = false;
    await this.#worker.resume();
  }

  /** Takes no more and resolves when what runs has ended. */
  async finish(): Promise<void> {
    this.#paused = true;
    await this.#worker.pause(); // Unlike in pause(): waits for the jobs it has.
  }

  /** Takes no more, hands running work back (within a second, without using up an attempt) and closes. */
  async drain(): Promise<void> {
    this.#draining.abort();
    for (const { abort } of this.#running.values()) abort.abort(new DrainSignal());
    await this.#worker.close();
    this.#stopListening();
    await closeRedis(this.#connection);
  }

  /** `stopped`: a proof, or one job of it. */
  #stop(stopped: string): void {
    this.#stopped.add(stopped);
    for (const { proofId, jobId, abort } of this.#running.values()) {
      if (proofId === stopped || jobId === stopped) abort.abort(new StopSignal());
    }
  }

  async #process(job: Job, token: string | undefined): Promise<void> {
    const { stage } = this.#options;
    const unit = unitOfJob(stage, job.data);
    if (!unit) {
      const { logger, metrics } = this.#service;
      metrics.count('cuzk_units_refused', { stage, reason: 'version' });
      logger.warn({ job: job.id }, 'job of an unknown version left alone');
      return this.#later(job, token, 60_000);
    }
    const jobId = jobIdOf(unit);
    if (this.#running.has(jobId)) return; // The queue took our lock for lost; the work goes on.
    if (this.#draining.signal.aborted || this.#paused) return this.#later(job, token, PUT_BACK_MS);
    const beginsInMs = this.#beginsInMs();
    if (beginsInMs === null) return this.#notYet(job, token);
    this.#taken++;
    let refusal: Refusal | null;
    try {
      refusal = await this.#take(unit, beginsInMs, job, token);
    } finally {
      this.#taken--;
    }
    if (refusal) await this.#refused(refusal, job, token);
  }

  /** Claims a unit and works on it; the record's refusal, where it refuses. */
  async #take(
    unit: StageUnit,
    beginsInMs: number,
    job: Job,
    token: string | undefined,
  ): Promise<Refusal | null> {
    const { admit, circuits } = this.#options;
    const { redis, identity } = this.#service;
    const takenAt = performance.now();
    const admission = admit ? await admit(unit) : NO_ADMISSION;
    if (!admission) return this.#later(job, token, NOT_ADMITTED_MS);
    try {
      const answer = await claimUnit(redis, unit, identity, circuits?.(), beginsInMs);
      if (isRefusal(answer)) return answer;
      const claim = answer as ClaimOf<S>;
      if (answer.instead) return await this.#workInstead(claim, takenAt, job, token);
      await this.#work(claim, jobIdOf(unit), takenAt);
      return null;
    } finally {
      await admission.release();
    }
  }

  /** ms until a further unit can begin; null when none is to be taken now. */
  #beginsInMs(): number | null {
    const { concurrency, beginsInMs } = this.#options;
    if (this.#taken < concurrency) return 0;
    return this.#taken > concurrency ? null : (beginsInMs?.() ?? null);
  }

  /** Puts a job back for others while this worker has enough, and looks for one again when it has not. */
  async #notYet(job: Job, token: string | undefined): Promise<never> {
    return this.#putBackDuring(job, token, async () => {
      while (this.#beginsInMs() === null && !this.#paused && !this.#draining.signal.aborted) {
        await this.#standBack(NOT_YET_MS);
      }
    });
  }

  /** The record gave another unit: this job goes back to the queue at once, for a worker that should take it. */
  #workInstead(
    claim: ClaimOf<S>,
    takenAt: number,
    job: Job,
    token: string | undefined,
  ): Promise<never> {
    return this.#putBackDuring(job, token, () => this.#work(claim, jobIdOf(claim.fence), takenAt));
  }

  async #putBackDuring(
    job: Job,
    token: string | undefined,
    work: () => Promise<void>,
  ): Promise<never> {
    const passedOn = String(job.id);
    this.#passedOn.add(passedOn);
    try {
      await job.moveToDelayed(Date.now() + NOT_HERE_MS, token);
      await work();
    } finally {
      this.#passedOn.delete(passedOn);
    }
    throw new DelayedError();
  }

  async #refused(answer: Refusal, job: Job, token: string | undefined): Promise<void> {
    const { metrics, logger } = this.#service;
    metrics.count('cuzk_units_refused', { stage: this.#options.stage, reason: answer.refused });
    logger.debug({ job: job.id, reason: answer.refused }, 'unit refused');
    if (!answer.later) return;
    await job.moveToDelayed(Date.now() + NOT_HERE_MS, token);
    if (answer.refused === 'suspect') await this.#examine();
    await this.#standBack(STAND_BACK_MS);
    throw new DelayedError();
  }

  /** Takes nothing for a while, unless this process ends. */
  async #standBack(ms: number): Promise<void> {
    await sleep(ms, undefined, { signal: this.#draining.signal }).catch(() => {});
  }

  /** Ends the suspicion against this worker's device when its self-test passes. */
  async #examine(): Promise<void> {
    const { redis, identity, logger } = this.#service;
    const sound = await this.#options.selfTest?.();
    if (sound !== true) return;
    await clearSuspicion(redis, identity.name);
    logger.info('self-test passed, taking work again');
  }

  async #later(job: Job, token: string | undefined, delayMs: number): Promise<never> {
    await job.moveToDelayed(Date.now() + delayMs, token);
    throw new DelayedError();
  }

  async #work(claim: ClaimOf<S>, jobId: string, takenAt: number): Promise<void> {
    const { presence, metrics } = this.#service;
    const { stage } = this.#options;
    const abort = new AbortController();
    this.#running.set(jobId, { proofId: claim.fence.proofId, jobId, abort });
    presence.hold(jobId);
    if (this.#draining.signal.aborted) abort.abort(new DrainSignal());
    if ([claim.fence.proofId, jobId].some((name) => this.#stopped.since(name, takenAt))) {
      abort.abort(new StopSignal());
    }
    const { span, logger } = observeAttempt(this.#service, claim);
    const attempt = { service: this.#service, claim, logger };
    const startedAt = performance.now();
    metrics.observeSeconds('cuzk_stage_wait_seconds', claim.waitedMs / 1000, { stage });
    let outcome = 'done';
    try {
      const { signal } = abort;
      const change = await orLetGo(signal, async () =>
        this.#options.handle(claim, { signal, logger, span }),
      );
      if (!change.accepted) outcome = change.reason ?? 'refused';
      await followResult(attempt, change);
      logger.info({ outcome, durationMs: Math.round(performance.now() - startedAt) }, 'unit done');
    } catch (error) {
      outcome = await this.#ended(attempt, error, abort.signal);
      if (outcome === 'failed') setSpanError(span, problemOf(error));
    } finally {
      this.#running.delete(jobId);
      presence.letGo(jobId);
      const seconds = (performance.now() - startedAt) / 1000;
      metrics.observeSeconds('cuzk_stage_duration_seconds', seconds, { stage, outcome });
      span.setAttribute('cuzk.outcome', outcome);
      span.end();
    }
  }

  /** Tells the record of an attempt without a result, and does what this worker owes after it. */
  async #ended(attempt: Attempt, error: unknown, signal: AbortSignal): Promise<string> {
    const end = await endAttempt(attempt, error, signal, this.#options.maxFailures);
    if (end === 'store full') await this.#standBack(STORE_FULL_MS);
    if (end === 'failed' && SUSPICIOUS_CODES.has(problemOf(error).code)) await this.#examine();
    return end;
  }
}

const NO_ADMISSION: Admission = { release: async () => {} };
