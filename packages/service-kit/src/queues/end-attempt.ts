import { CuzkError } from '@cuzk/core/errors';
import type { Logger } from '../logger.ts';
import type { Service } from '../open-service.ts';
import { failUnit, handBackUnit } from '../record/changes.ts';
import { isRetryable, problemOf } from '../record/problem.ts';
import type { Change, Claim } from '../record/types.ts';
import { writeWaitsOfEnded } from '../telemetry/wait-spans.ts';
import { DrainSignal, NotBegunError } from './stop-reasons.ts';

/** A failed attempt keeps its unit from the worker that failed it for this long. */
const EXCLUDE_MS = 10 * 60_000;

/** An attempt whose end is told to the record. */
export interface Attempt {
  readonly service: Service;
  readonly claim: Claim;
  readonly logger: Logger;
}

/** What follows the record's answer to a result. Should it fail, the reconciler and the retention sweep do it. */
export async function followResult(
  { service, claim, logger }: Attempt,
  change: Change,
): Promise<void> {
  const { queues, artifacts } = service;
  try {
    await queues.addUnits(change.next);
    if (change.accepted && claim.stage === 'prove') await artifacts.delete(claim.witness.ref);
    // A partition that is done never ends a run: finalize does.
    const mayHaveEnded = change.accepted && claim.fence.partition === null;
    if (mayHaveEnded) await writeWaitsOfEnded(service, claim.fence.proofId);
  } catch (error) {
    logger.warn({ err: error }, 'what follows is left to the upkeep');
  }
}

/** How an attempt without a result ended: handed back, which is no failure, or failed. */
export type AttemptEnd = 'drained' | 'stopped' | 'not begun' | 'store full' | 'failed';

/**
 * Tells the record how an attempt without a result ended: `error` is what it threw, `signal` what it was told to stop
 * by. `maxFailures`: failures of the unit at which its run fails.
 */
export async function endAttempt(
  attempt: Attempt,
  error: unknown,
  signal: AbortSignal,
  maxFailures: number,
): Promise<AttemptEnd> {
  const { service, claim, logger } = attempt;
  const { stage } = claim;
  if (signal.aborted) {
    return handBack(attempt, signal.reason instanceof DrainSignal ? 'drained' : 'stopped');
  }
  if (error instanceof NotBegunError) return handBack(attempt, 'not begun');
  const problem = problemOf(error);
  service.metrics.count('cuzk_failures', { stage, code: problem.code });
  // No fault of the work: it waits until there is room.
  if (problem.code === 'CAPACITY_EXHAUSTED') return handBack(attempt, 'store full');
  const level = error instanceof CuzkError ? 'warn' : 'error';
  logger[level]({ err: error, code: problem.code }, 'unit failed');
  const change = await failUnit(service.redis, claim.fence, {
    problem,
    retryable: isRetryable(error),
    maxFailures,
    worker: service.identity.name,
    excludeMs: stage === 'prove' ? EXCLUDE_MS : 0,
  });
  await service.queues.addUnits(change.next);
  if (change.accepted) await writeWaitsOfEnded(service, claim.fence.proofId);
  return 'failed';
}

async function handBack(
  { service: { redis, queues }, claim, logger }: Attempt,
  outcome: AttemptEnd,
): Promise<AttemptEnd> {
  const change = await handBackUnit(redis, claim.fence, outcome);
  await queues.addUnits(change.next);
  logger.info({ outcome }, 'unit handed back');
  return outcome;
}
