import type { Redis } from 'ioredis';
import {
  acquirePermit,
  LEASE_RENEW_MS,
  LEASE_TTL_MS,
  type PermitAnswer,
  type PermitRequest,
  releasePermit,
  renewPermit,
} from './permits.ts';

export interface HeldPermit {
  release(): Promise<void>;
}

/** Acquires a lease and keeps renewing it until it is released; the denial when it is not granted. */
export async function holdPermit(
  redis: Redis,
  request: Omit<PermitRequest, 'ttlMs'>,
): Promise<HeldPermit | PermitAnswer> {
  const answer = await acquirePermit(redis, { ...request, ttlMs: LEASE_TTL_MS });
  if (!answer.granted) return answer;
  const renew = () => renewPermit(redis, request.pool, request.lease).catch(() => false);
  const timer = setInterval(() => void renew(), LEASE_RENEW_MS);
  return {
    release: async () => {
      clearInterval(timer);
      await releasePermit(redis, request.pool, request.lease);
    },
  };
}

export const isDenied = (answer: HeldPermit | PermitAnswer): answer is PermitAnswer =>
  'granted' in answer;
