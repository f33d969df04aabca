import { existsSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { runSelf } from './run-self.ts';

/** The launcher runs what was built. */
const built = existsSync(new URL('../../dist/main.js', import.meta.url));
if (!built) console.log('running a command in a process of its own: skipped, there is no build');

describe('running a command in a process of its own', () => {
  const options = {
    environment: { PATH: process.env.PATH ?? '' },
    signal: new AbortController().signal,
    onLine: () => {},
  };

  it.skipIf(!built)('throws the error of the command with its facts', async () => {
    await expect(runSelf(['circuit', '--sector', '3KiB'], options)).rejects.toMatchObject({
      code: 'REQUEST_INVALID',
      facts: { found: '3KiB' },
    });
  });

  it('does not start after an abort', async () => {
    const signal = AbortSignal.abort(new Error('stopped by SIGINT'));
    await expect(runSelf(['doctor'], { ...options, signal })).rejects.toThrow('SIGINT');
  });
});
