import { describe, expect, it } from 'vitest';
import { untilAborted } from '../abort-on-signals.ts';
import { withoutPassword } from './serve.ts';

describe('cuzk serve', () => {
  it('does not print the password of a Redis that it was given', () => {
    expect(withoutPassword('redis://127.0.0.1:6379')).toBe('redis://127.0.0.1:6379');
    expect(withoutPassword('rediss://cuzk:sesame@redis:7000/1')).toBe(
      'rediss://cuzk:***@redis:7000/1',
    );
    expect(withoutPassword('redis://:sesame@redis:7000')).not.toContain('sesame');
  });

  it('ends when it was asked to before it began to wait for that', async () => {
    const late = new Promise((resolve) => setTimeout(() => resolve('waits'), 1_000));
    const asked = untilAborted(AbortSignal.abort());
    expect(await Promise.race([asked, late])).toBeUndefined();
  });
});
