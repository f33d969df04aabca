import { createHash, randomUUID } from 'node:crypto';
import { CuzkError } from '@cuzk/core/errors';
import type { Redis } from 'ioredis';
import { runScript } from '../redis/scripts.ts';
import type { Tenant } from './tenant.ts';

/** A request that died in the middle blocks its key for this long at most … */
const MARK_KEPT_MS = 30_000;
/** … and one that goes on says so this often. */
const MARK_RENEW_MS = 10_000;

/** What a key is stored under: keys are the clients' own and may be long or private. */
export const idempotencyName = ({ name }: Tenant, idempotencyKey: string): string =>
  createHash('sha256').update(`${name}|${idempotencyKey}`).digest('hex');

export interface RunningRequest {
  /** Gives the key free, unless a proof stands for it by now. */
  end(): Promise<void>;
}

/** Begins a request with a client's own key. Throws IDEMPOTENCY_IN_PROGRESS while another one with it is under way. */
export async function beginRequest(
  redis: Redis,
  tenant: Tenant,
  idempotencyKey: string,
): Promise<RunningRequest> {
  const args = { idempotency: idempotencyName(tenant, idempotencyKey), mark: randomUUID() };
  const begin = () =>
    runScript<{ begun: boolean }>(redis, 'idempotency', {
      action: 'begin',
      keptMs: MARK_KEPT_MS,
      ...args,
    });
  if (!(await begin()).begun) {
    throw new CuzkError('IDEMPOTENCY_IN_PROGRESS', 'A request with this key is under way.', {
      expected: 'the end of the request that came first',
      action: 'Send the same request again in a moment.',
    });
  }
  const timer = setInterval(() => void begin().catch(() => {}), MARK_RENEW_MS);
  return {
    end: async () => {
      clearInterval(timer);
      await runScript(redis, 'idempotency', { action: 'end', ...args });
    },
  };
}
