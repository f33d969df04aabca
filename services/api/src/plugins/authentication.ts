import { createHash } from 'node:crypto';
import { CuzkError } from '@cuzk/core/errors';
import { NO_TENANT } from '@cuzk/service-kit/record/tenant';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import fastifyPlugin from 'fastify-plugin';
import type { Caller, CallersByKey } from '../tenants/tenants-file.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Set before every handler under /v1. */
    caller: Caller;
  }
}

/** Where no keys are set up, everybody is the one tenant and the operator. */
const ANYBODY: Caller = { tenant: NO_TENANT, operator: true };

/** Says nothing about any proof: scalers ask for it. */
const OPEN = new Set(['/v1/autoscale', '/v1/circuits']);
/** Shows or touches what belongs to all tenants. */
const OPERATORS_ONLY = /^\/v1\/(?:status|chaos)(?:\/|$)/;

export interface AuthenticationOptions {
  /** null: no keys are set up. */
  readonly callers: CallersByKey | null;
}

/** Finds out whose key a request under /v1 carries (`Authorization: Bearer …` or `x-api-key`). 401 without one. */
export const authentication = fastifyPlugin(
  async (app: FastifyInstance, { callers }: AuthenticationOptions) => {
    app.decorateRequest('caller');
    app.addHook('onRequest', async (request) => {
      const route = request.routeOptions.url ?? '';
      request.caller = ANYBODY;
      if (callers === null || !route.startsWith('/v1/') || OPEN.has(route)) return;
      const caller = callers.get(digestOfKey(request));
      if (caller === undefined || (OPERATORS_ONLY.test(route) && !caller.operator)) {
        throw new CuzkError('UNAUTHORIZED', 'The request carries no key that opens this.', {
          expected: caller === undefined ? 'a known API key' : 'the key of an operator',
          action: 'Send the key as "Authorization: Bearer …".',
        });
      }
      request.caller = caller;
    });
  },
  { name: 'authentication' },
);

function digestOfKey({ headers }: FastifyRequest): string {
  const bearer = /^Bearer\s+(\S+)$/i.exec(headers.authorization ?? '')?.[1];
  const key = bearer ?? headers['x-api-key'];
  return typeof key === 'string' ? createHash('sha256').update(key).digest('hex') : '';
}

/** Whether a caller may know of a proof of this tenant. */
export const maySee = ({ tenant, operator }: Caller, owner: string): boolean =>
  operator || tenant.name === owner;
