import { CuzkError } from '@cuzk/core/errors';
import { describe, expect, it } from 'vitest';
import { readConfig } from './config.ts';

describe('environment', () => {
  it('has a default for everything', () => {
    const config = readConfig({ HOME: '/home/x' });
    expect(config.parameterDir).toBe('/var/tmp/filecoin-proof-parameters');
    expect(config.cacheDir).toMatch(/\.cache\/cuzk$/);
    expect(config).toMatchObject({ allowDevelopmentParams: false, gpu: 'auto' });
    expect(config.redisUrl).toBeUndefined();
  });

  it('takes an empty variable as unset', () => {
    expect(readConfig({ GPU: '', REDIS_URL: '', CUZK_CACHE_DIR: '' })).toMatchObject({
      gpu: 'auto',
      redisUrl: undefined,
    });
  });

  it('names every wrong variable at once', () => {
    const read = () => readConfig({ GPU: 'cuda', ALLOW_DEVELOPMENT_PARAMS: 'yes' });
    expect(read).toThrow(CuzkError);
    expect(read).toThrow(/ALLOW_DEVELOPMENT_PARAMS is "yes".*GPU is "cuda"/);
  });
});
