import type { Redis } from 'ioredis';
import { OWNER_SILENT_MS } from '../presence/limits.ts';
import { runScript } from '../redis/scripts.ts';
import type { NextUnit, Problem, RunState, Stage } from './types.ts';
import { asList } from './wire.ts';

export interface CancelAnswer {
  readonly found: boolean;
  readonly state: RunState | null;
  /** False when the run had ended, or was stopping, before. */
  readonly changed: boolean;
}

const DEADLINE_PASSED: Problem = {
  code: 'DEADLINE_EXCEEDED',
  message: 'The deadline passed before the proof was ready.',
  action: 'Submit again with a later deadline.',
};

/** Asks a live run to stop as `cancelled` or `expired`. Waiting work dies at once, running work lets go. */
export async function cancelRun(
  redis: Redis,
  proofId: string,
  ending: 'cancelled' | 'expired',
): Promise<CancelAnswer> {
  const problem = ending === 'expired' ? DEADLINE_PASSED : null;
  const args = { proofId, ending, problem };
  const answer = await runScript<Partial<CancelAnswer>>(redis, 'cancel', args);
  return {
    found: answer.found === true,
    state: answer.state ?? null,
    changed: answer.changed === true,
  };
}

/** Silent owners one unit may have before its run fails: it may be what kills them. */
const MAX_LOSSES = 5;

export interface LostUnit {
  readonly stage: Stage;
  readonly partition?: number;
  readonly owner: string;
}

/** Takes units from owners silent for `silentMs`; their late results are refused from then on. */
export async function requeueSilentOwners(
  redis: Redis,
  proofId: string,
  silentMs: number = OWNER_SILENT_MS,
): Promise<{ next: readonly NextUnit[]; lost: readonly LostUnit[] }> {
  const args = { proofId, silentMs, maxLosses: MAX_LOSSES };
  const answer = await runScript<{ next: NextUnit[]; lost: LostUnit[] }>(
    redis,
    'requeue-silent',
    args,
  );
  return { next: asList(answer.next), lost: asList(answer.lost) };
}

/** Units of this proof that wait for a worker, and whether its deadline has passed. */
export async function waitingUnits(
  redis: Redis,
  proofId: string,
): Promise<{ next: readonly NextUnit[]; expired: boolean }> {
  const answer = await runScript<{ next: NextUnit[]; expired: boolean }>(redis, 'waiting-units', {
    proofId,
  });
  return { next: asList(answer.next), expired: answer.expired };
}

/** Removes the record, events and index entries of an ended proof. False when it is live or absent. */
export async function forgetProof(redis: Redis, proofId: string): Promise<boolean> {
  return (await runScript<{ forgotten: boolean }>(redis, 'forget', { proofId })).forgotten;
}
