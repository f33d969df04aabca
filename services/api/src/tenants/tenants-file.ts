import { readFileSync } from 'node:fs';
import { CuzkError } from '@cuzk/core/errors';
import type { Tenant } from '@cuzk/service-kit/record/tenant';
import { type Static, Type } from 'typebox';
import { Value } from 'typebox/value';

const TenantEntry = Type.Object(
  {
    name: Type.String({ pattern: '^[a-z0-9][a-z0-9-]{0,62}$' }),
    /** SHA-256 of each of its API keys, hex: the file holds nothing that opens a door. */
    keySha256: Type.Array(Type.String({ pattern: '^[0-9a-f]{64}$' }), { minItems: 1 }),
    weight: Type.Optional(Type.Integer({ minimum: 1, maximum: 100 })),
    maxLiveProofs: Type.Optional(Type.Integer({ minimum: 1 })),
    /** Sees all tenants, the status and the chaos switch. */
    operator: Type.Optional(Type.Boolean()),
  },
  { additionalProperties: false },
);
const TenantsFile = Type.Object(
  { tenants: Type.Array(TenantEntry, { minItems: 1 }) },
  { additionalProperties: false },
);

/** Who calls: the tenant of its key. */
export interface Caller {
  readonly tenant: Tenant;
  readonly operator: boolean;
}

/** Callers by the SHA-256 of their keys, hex. */
export type CallersByKey = ReadonlyMap<string, Caller>;

/** Reads the tenants and their keys. Throws CONFIG_INVALID with every problem of the file. */
export function readTenants(path: string): CallersByKey {
  const problems: string[] = [];
  const file = parse(path, problems);
  const callers = new Map<string, Caller>();
  const names = new Set<string>();
  for (const entry of file?.tenants ?? []) {
    const { name, keySha256, weight = 1, maxLiveProofs = null, operator = false } = entry;
    if (names.has(name)) problems.push(`the tenant ${name} is there twice`);
    names.add(name);
    for (const digest of keySha256) {
      if (callers.has(digest)) problems.push(`a key of ${name} is there twice`);
      callers.set(digest, { tenant: { name, weight, maxLiveProofs }, operator });
    }
  }
  if (problems.length === 0) return callers;
  throw new CuzkError('CONFIG_INVALID', `TENANTS_FILE cannot be used: ${problems.join('; ')}.`, {
    expected: '{"tenants": [{"name", "keySha256": [hex], "weight", "maxLiveProofs", "operator"}]}',
    found: problems.join('; '),
    action: 'Correct the file and start again.',
  });
}

function parse(path: string, problems: string[]): Static<typeof TenantsFile> | null {
  try {
    const file: unknown = JSON.parse(readFileSync(path, 'utf8'));
    for (const { instancePath, message } of Value.Errors(TenantsFile, file)) {
      problems.push(`${instancePath || '/'} ${message}`);
    }
    return problems.length === 0 ? (file as Static<typeof TenantsFile>) : null;
  } catch (error) {
    const { code, name } = error as NodeJS.ErrnoException;
    problems.push(`the file cannot be read (${code ?? name})`);
    return null;
  }
}
