import { CuzkError } from '@cuzk/core/errors';
import type { Redis } from 'ioredis';
import { runScript } from '../redis/scripts.ts';
import { idempotencyName } from './idempotency.ts';
import { classOf, type Priority } from './priority.ts';
import type { Tenant } from './tenant.ts';
import type { ArtifactRef, NextUnit, ProofSource, RunState } from './types.ts';
import { asList } from './wire.ts';

const IDEMPOTENCY_KEPT_MS = 24 * 3_600_000;

export interface NewProof {
  readonly proofId: string;
  readonly kind: 'porep';
  readonly minerId: string;
  readonly sectorNumber: string;
  /** sha256 hex over (C1 bytes ‖ miner ‖ sector ‖ kind): equal keys are the same work. */
  readonly contentKey: string;
  readonly c1: ArtifactRef;
  readonly priority: Priority;
  /** Unix ms, or null for none. */
  readonly deadlineAt: number | null;
  readonly tenant: Tenant;
  readonly traceparent: string | null;
  /** The client's own key for this request: repeats with the same content join, other content is refused. */
  readonly idempotencyKey?: string | null;
  /** What may have made a succeeded proof that is joined; anything when left out. */
  readonly accepts?: readonly ProofSource[];
}

export interface CreatedProof {
  readonly proofId: string;
  /** True: a live or succeeded proof has this content already, and `proofId` names it. */
  readonly joined: boolean;
  readonly state: RunState;
  readonly next: readonly NextUnit[];
  /** Units of a joined proof that wait in queues and have become more urgent. */
  readonly raised: readonly NextUnit[];
}

/**
 * Writes the record of a proof whose C1 is in the artifact store, in state `received`, or joins the one of the same
 * tenant with the same content, which then has the later of both deadlines and the more urgent of both classes. Throws
 * IDEMPOTENCY_KEY_REUSED when the idempotency key was used for other content, QUOTA_EXCEEDED when the tenant has as many
 * live proofs as it may.
 */
export async function createOrJoinProof(redis: Redis, proof: NewProof): Promise<CreatedProof> {
  const { idempotencyKey, tenant, ...rest } = proof;
  const created = await runScript<CreatedProof & { conflict?: boolean; quota?: number }>(
    redis,
    'create',
    {
      ...rest,
      priority: classOf(proof.priority),
      tenant: tenant.name,
      weight: tenant.weight,
      maxLive: tenant.maxLiveProofs,
      idempotency: idempotencyKey ? idempotencyName(tenant, idempotencyKey) : null,
      idempotencyKeptMs: IDEMPOTENCY_KEPT_MS,
    },
  );
  if (created.conflict) {
    throw new CuzkError('IDEMPOTENCY_KEY_REUSED', 'The key was used with another body.', {
      expected: 'the same C1, miner and sector as before',
      found: 'others',
      action: 'Use a new key for a new request.',
    });
  }
  if (created.quota !== undefined) throw quotaExceeded(tenant, created.quota);
  return { ...created, next: asList(created.next), raised: asList(created.raised) };
}

/** The error for a tenant that has this many live proofs and may have no more. */
export const quotaExceeded = (tenant: Tenant, live: number): CuzkError =>
  new CuzkError('QUOTA_EXCEEDED', 'The tenant has as many live proofs as it may.', {
    expected: `less than ${tenant.maxLiveProofs} live proofs`,
    found: String(live),
    action: 'Send again when some of them have ended.',
  });
