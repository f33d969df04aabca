import { expect, it } from 'vitest';
import { openTestDevice } from '../testing/software-device.ts';
import { openStagingRing } from './staging-ring.ts';

it('whoever takes a slot of a lost device hears of it, also where the one before did', async () => {
  const { context, close } = await openTestDevice();
  const ring = openStagingRing(context.device, 2, 64);
  const slots = [await ring.take(), await ring.take()];
  close();
  for (const slot of slots) {
    slot.unmap();
    slot.release();
  }
  for (let turn = 0; turn < 5; turn++) await expect(ring.take()).rejects.toThrow();
});
