import { afterAll, beforeAll, expect, it } from 'vitest';
import { openTestDevice } from '../testing/software-device.ts';
import { openCommands, readBuffer } from './commands.ts';
import type { OpenedDevice } from './device.ts';

let opened: OpenedDevice;
beforeAll(async () => {
  opened = await openTestDevice();
});
afterAll(() => opened.close());

/** What a card without room says, at the same call, is played: nobody fills the memory of a test machine. */
const outOfMemory = (): void => {
  const { device } = opened.context;
  const error = new GPUOutOfMemoryError('no room for 45 GB');
  device.dispatchEvent(new GPUUncapturedErrorEvent('uncapturederror', { error }));
};

it('a buffer that the device refused fails the next submit and the next read, and then no more', async () => {
  const { context } = opened;
  const { device, buffers } = context;
  const tooLarge = 2 * device.limits.maxBufferSize;
  const good = buffers.take('scratch', 16, 'good');
  for (const use of [
    () => openCommands(context).submit('test'),
    () => readBuffer(context, good, 0, 16),
  ]) {
    buffers.drop(buffers.take('scratch', tooLarge, 'far too large'));
    await expect(use()).rejects.toMatchObject({
      code: 'INTERNAL',
      facts: { found: expect.stringMatching(/exceeds the max buffer size/) },
    });
    await use();
  }
  buffers.drop(good);
});

it('work with such a buffer does not pass for done', async () => {
  const { context } = opened;
  const bad = context.buffers.take('scratch', 2 * context.device.limits.maxBufferSize, 'bad');
  await expect(readBuffer(context, bad, 0, 16)).rejects.toMatchObject({ code: 'INTERNAL' });
  context.buffers.drop(bad);
});

it('want of memory is told from other refusals', async () => {
  outOfMemory();
  await expect(openCommands(opened.context).submit('test')).rejects.toMatchObject({
    code: 'GPU_OUT_OF_MEMORY',
    facts: { found: 'no room for 45 GB' },
  });
});
