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

it('a slot that could not be made is tried again by who takes it next', async () => {
  const { context, close } = await openTestDevice();
  let refusals = 1;
  const device = {
    createBuffer: (descriptor: GPUBufferDescriptor) => {
      if (refusals-- > 0) throw new RangeError('no memory to map');
      return context.device.createBuffer(descriptor);
    },
  } as GPUDevice;
  const ring = openStagingRing(device, 1, 64);
  await expect(ring.take()).rejects.toThrow('no memory to map');
  const slot = await ring.take();
  expect(slot.bytes).toHaveLength(64);
  slot.unmap();
  ring.close();
  close();
});
