import { CuzkError } from '@cuzk/core/errors';
import { envSchema } from 'env-schema';
import type { Static, TObject } from 'typebox';

interface SchemaProblem {
  readonly instancePath: string;
  readonly keyword: string;
  readonly params: Record<string, unknown>;
  readonly message?: string;
}

function describe({ instancePath, keyword, params, message }: SchemaProblem): string {
  if (keyword === 'required') return `${String(params.missingProperty)} must be set`;
  const name = instancePath.slice(1);
  if (keyword === 'enum') {
    return `${name} must be one of ${(params.allowedValues as unknown[]).join(', ')}`;
  }
  return `${name} ${message ?? 'is invalid'}`;
}

/**
 * Reads settings from environment variables by a TypeBox schema: defaults filled in, numbers converted,
 * result frozen. Throws CONFIG_INVALID that names every problem at once (values are not repeated: they may
 * be secrets). Only a service's config.ts calls this with process.env.
 */
export function loadConfig<Schema extends TObject>(
  schema: Schema,
  environment: Readonly<Record<string, string | undefined>>,
): Readonly<Static<Schema>> {
  const known = Object.keys(schema.properties);
  const set = known.filter((name) => environment[name] !== undefined && environment[name] !== '');
  const data = Object.fromEntries(set.map((name) => [name, environment[name]]));
  try {
    return Object.freeze(envSchema<Static<Schema>>({ schema, env: false, data }));
  } catch (error) {
    const problems = (error as { errors?: SchemaProblem[] }).errors;
    if (!problems) throw error;
    const lines = problems.map(describe);
    throw new CuzkError(
      'CONFIG_INVALID',
      `${lines.length} setting(s) cannot be used: ${lines.join('; ')}.`,
      {
        expected: 'settings as the configuration table of the README describes them',
        found: lines.join('; '),
        action: 'Correct these environment variables and start again.',
      },
    );
  }
}

/** '1' turns a switch on; anything else that passed the schema leaves it off. */
export const isOn = (value: string): boolean => value === '1';
