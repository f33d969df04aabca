import { createHash } from 'node:crypto';
import { CuzkError } from '@cuzk/core/errors';
import type { Redis } from 'ioredis';
import { runScript } from '../redis/scripts.ts';
import type { ArtifactRef, NextUnit, RunState } from './types.ts';
import { asList } from './wire.ts';

/** Lower goes first. */
export const PRIORITY_MIN = 0;
export const PRIORITY_MAX = 9;
export const PRIORITY_DEFAULT = 5;

const IDEMPOTENCY_KEPT_MS = 24 * 3_600_000;

export interface NewProof {
  readonly proofId: string;
  readonly kind: 'porep';
  readonly minerId: string;
  readonly sectorNumber: string;
  /** sha256 hex over (C1 bytes ‖ miner ‖ sector ‖ kind): equal keys are the same work. */
  readonly contentKey: string;
  readonly c1: ArtifactRef;
  readonly priority: number;
  /** Unix ms, or null for none. */
  readonly deadlineAt: number | null;
  readonly tenant: string;
  readonly traceparent: string | null;
  /** The client's own key for this request: repeats with the same content join, other content is refused. */
  readonly idempotencyKey?: string | null;
}

export interface CreatedProof {
  readonly proofId: string;
  /** True: a live or succeeded proof has this content already, and `proofId` names it. */
  readonly joined: boolean;
  readonly state: RunState;
  readonly next: readonly NextUnit[];
}

/**
 * Writes the record of a proof whose C1 is in the artifact store, in state `received`, or joins the one with
 * the same content. Throws RangeError on a priority out of range, REQUEST_INVALID when the idempotency key was
 * used for other content.
 */
export async function createOrJoinProof(redis: Redis, proof: NewProof): Promise<CreatedProof> {
  const { priority } = proof;
  if (!Number.isInteger(priority) || priority < PRIORITY_MIN || priority > PRIORITY_MAX) {
    throw new RangeError(`priority: expected ${PRIORITY_MIN} … ${PRIORITY_MAX}, got ${priority}`);
  }
  const { idempotencyKey, ...rest } = proof;
  const idempotency = idempotencyKey
    ? createHash('sha256').update(`${proof.tenant}|${idempotencyKey}`).digest('hex')
    : null;
  const args = { ...rest, idempotency, idempotencyKeptMs: IDEMPOTENCY_KEPT_MS };
  const created = await runScript<CreatedProof & { conflict?: boolean }>(redis, 'create', args);
  if (created.conflict) {
    throw new CuzkError('REQUEST_INVALID', 'The idempotency key was used with another body.', {
      expected: 'the same C1, miner and sector as before',
      found: 'others',
      action: 'Use a new key for a new request.',
    });
  }
  return { ...created, next: asList(created.next) };
}
