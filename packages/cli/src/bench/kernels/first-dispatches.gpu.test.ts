import { openTestDevice } from '@cuzk/gpu/testing/software-device';
import { expect, it } from 'vitest';
import { readConfig } from '../../config.ts';
import { timeFirstDispatches } from './first-dispatches.ts';

const slow = process.env.SLOW === '1';
if (!slow)
  console.log('first dispatches: left out, compiling takes a quarter of a minute; set SLOW=1');

it.skipIf(!slow)(
  'with nothing kept all kernels are compiled ahead, and afterwards none: first dispatches then take a fraction of that',
  async () => {
    const { context, close } = await openTestDevice();
    const config = readConfig({ ...process.env, GPU: 'software' });
    const options = { signal: AbortSignal.timeout(400_000), onLine: () => {} };
    const [none, kept] = await timeFirstDispatches(config, context, options);
    close();
    console.log(JSON.stringify([none, kept], null, 1));
    expect([none?.passed, kept?.passed]).toEqual([true, true]);
    expect(none?.figures.aheadSeconds).toBeGreaterThan(4 * (kept?.wallSeconds ?? 0));
    expect(kept?.figures).not.toHaveProperty('aheadSeconds');
    // what is dispatched first in the process itself has been kept by those that compiled ahead
    const { aheadSeconds = 0 } = none?.figures ?? {};
    expect((none?.wallSeconds ?? 0) - aheadSeconds).toBeLessThan(aheadSeconds / 2);
  },
  420_000,
);
