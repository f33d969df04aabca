import { loadConfig } from '@cuzk/service-kit/config/load-config';
import { PARAMETER_SETTINGS } from '@cuzk/service-kit/config/parameter-settings';
import { byteCount, milliseconds, SHARED_SETTINGS } from '@cuzk/service-kit/config/shared-settings';
import { type Static, Type } from 'typebox';

export const API_SETTINGS = Type.Object({
  ...SHARED_SETTINGS,
  ...PARAMETER_SETTINGS,
  PORT: Type.Integer({
    minimum: 0,
    maximum: 65_535,
    default: 8080,
    description: 'Port of the HTTP API; 0 picks a free one',
  }),
  MAX_BODY_BYTES: byteCount('Largest request body, before and after decompression', 256 * 2 ** 20),
  INGEST_WAIT_MS: Type.Integer({
    minimum: 0,
    maximum: 2 ** 31 - 1, // Node's timers end at once beyond that.
    default: 2_000,
    description: 'How long a submission waits for the verdict on its C1 before it is answered',
  }),
  TENANTS_FILE: Type.String({
    default: '',
    description:
      'JSON file of tenants, the SHA-256 of their API keys, weights and limits; empty = no keys',
  }),
  DRAIN_HORIZON_MS: milliseconds(
    'The autoscale signal asks for as many workers as get every proof done this soon after it came in',
    30 * 60_000,
  ),
});

export type ApiConfig = Readonly<Static<typeof API_SETTINGS>>;

/** Settings of this process. Throws CONFIG_INVALID. */
export const readConfig = (): ApiConfig => loadConfig(API_SETTINGS, process.env);
