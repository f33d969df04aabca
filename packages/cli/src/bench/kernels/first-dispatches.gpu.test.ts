import { expect, it } from 'vitest';
import { readConfig } from '../../config.ts';
import { timeFirstDispatches } from './first-dispatches.ts';

const slow = process.env.SLOW === '1';
if (!slow) console.log('first dispatches: left out, compiling takes half a minute; set SLOW=1');

it.skipIf(!slow)(
  'first dispatches take a fraction of the time where the driver has kept the kernels',
  async () => {
    const results = await timeFirstDispatches(readConfig({ ...process.env, GPU: 'software' }), {
      signal: AbortSignal.timeout(400_000),
      onLine: () => {},
    });
    expect(results.map(({ passed }) => passed)).toEqual([true, true]);
    const [none = 0, kept = 0] = results.map(({ wallSeconds }) => wallSeconds ?? 0);
    console.log(`none kept ${none} s, kept ${kept} s`);
    expect(none).toBeGreaterThan(4 * kept);
  },
  420_000,
);
