import { homedir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { cacheDirOf, paramsFoldersOf } from './parameter-settings.ts';

it('the cache folder is the named one, else cuzk below the caches of the user', () => {
  const home = join(homedir(), '.cache', 'cuzk');
  expect(cacheDirOf({ CUZK_CACHE_DIR: '/a', XDG_CACHE_HOME: '/b' })).toBe('/a');
  expect(cacheDirOf({ CUZK_CACHE_DIR: '', XDG_CACHE_HOME: '/b' })).toBe('/b/cuzk');
  expect(cacheDirOf({ CUZK_CACHE_DIR: '', XDG_CACHE_HOME: '' })).toBe(home);
});

it('development parameters are below the cache folder, and used only where that is allowed', () => {
  const settings = { FIL_PROOFS_PARAMETER_CACHE: '/p', CUZK_CACHE_DIR: '', XDG_CACHE_HOME: '/b' };
  expect(paramsFoldersOf({ ...settings, ALLOW_DEVELOPMENT_PARAMS: '0' })).toEqual({
    productionDir: '/p',
    developmentDir: '/b/cuzk/params',
    allowDevelopmentParams: false,
  });
  expect(
    paramsFoldersOf({ ...settings, ALLOW_DEVELOPMENT_PARAMS: '1' }).allowDevelopmentParams,
  ).toBe(true);
});
