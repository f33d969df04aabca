import { loadConfig } from '@cuzk/service-kit/config/load-config';
import { expect, it } from 'vitest';
import { API_SETTINGS } from './config.ts';

it('a wait that no timer can hold, which would be none at all, is refused', () => {
  const read = (INGEST_WAIT_MS: string) => loadConfig(API_SETTINGS, { INGEST_WAIT_MS });
  expect(read('0').INGEST_WAIT_MS).toBe(0);
  expect(read('2147483647').INGEST_WAIT_MS).toBe(2_147_483_647);
  for (const wait of ['2147483648', '1e12', '-1']) {
    expect(() => read(wait), wait).toThrow('INGEST_WAIT_MS');
  }
});
