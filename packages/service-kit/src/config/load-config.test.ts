import { CuzkError } from '@cuzk/core/errors';
import { Type } from 'typebox';
import { describe, expect, it } from 'vitest';
import { loadConfig } from './load-config.ts';
import { flag, SHARED_SETTINGS } from './shared-settings.ts';

const Schema = Type.Object({
  PORT: Type.Integer({ default: 8080, maximum: 65_535 }),
  TOKEN: Type.String(),
  LEVEL: Type.String({ enum: ['low', 'high'], default: 'low' }),
  ALLOW: flag('a switch'),
});

const problemsOf = (environment: Record<string, string>): string => {
  try {
    loadConfig(Schema, environment);
  } catch (error) {
    expect(error).toBeInstanceOf(CuzkError);
    expect((error as CuzkError).code).toBe('CONFIG_INVALID');
    return (error as CuzkError).facts.found ?? '';
  }
  return '';
};

describe('settings', () => {
  it('are converted, completed with defaults, frozen, and free of other variables', () => {
    const config = loadConfig(Schema, { PORT: '99', TOKEN: 't', HOME: '/x', ALLOW: '1' });
    expect(config).toEqual({ PORT: 99, TOKEN: 't', LEVEL: 'low', ALLOW: '1' });
    expect(Object.isFrozen(config)).toBe(true);
  });

  it('take an empty variable as not set', () => {
    expect(loadConfig(Schema, { PORT: '', TOKEN: 't' }).PORT).toBe(8080);
  });

  it('are refused with all problems at once and without their values', () => {
    const found = problemsOf({ PORT: '70000', LEVEL: 'sesame', ALLOW: 'yes' });
    for (const part of [
      'PORT must be <= 65535',
      'TOKEN must be set',
      'LEVEL must be one of low, high',
      'ALLOW must be one of 0, 1',
    ]) {
      expect(found).toContain(part);
    }
    expect(found).not.toContain('sesame');
  });

  it('of every service stand without any variable', () => {
    const config = loadConfig(Type.Object({ ...SHARED_SETTINGS }), {});
    expect(config.ALLOW_DEVELOPMENT_PARAMS).toBe('0');
    for (const schema of Object.values(SHARED_SETTINGS))
      expect((schema as { description?: string }).description).toBeTruthy();
  });
});
