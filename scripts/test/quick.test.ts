import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { chooseQuickTests, LONG } from './quick.mjs';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

describe('quick tests', () => {
  const { quick, leftOut } = chooseQuickTests(ROOT);
  const why = new Map(leftOut.map(({ path, why }) => [path, why]));

  it('leave out what starts a Redis and what takes long, and say which', () => {
    expect(why.get('packages/service-kit/src/redis/check-redis.test.ts')).toBe('Redis');
    expect(LONG.every((path) => why.get(path) === 'long')).toBe(true);
    expect(quick).toContain(join(ROOT, 'packages/core/src/curve/msm.test.ts'));
  });

  it('know long tests that are there', () => {
    expect(LONG.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
  });
});
