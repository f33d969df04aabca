import { afterAll, beforeAll, expect, it } from 'vitest';
import { playOutOfMemory } from '../testing/out-of-memory.ts';
import { openTestDevice } from '../testing/software-device.ts';
import { openCommands, readBuffer } from './commands.ts';
import type { OpenedDevice } from './device.ts';
import { settle } from './device-faults.ts';

let opened: OpenedDevice;
beforeAll(async () => {
  opened = await openTestDevice();
});
afterAll(() => opened.close());

const REFUSED = {
  code: 'INTERNAL',
  facts: { found: expect.stringMatching(/exceeds the max buffer size/) },
};

it('a buffer that the device refused fails all submits until a read has failed, and then no more', async () => {
  const { context } = opened;
  const { device, buffers } = context;
  const good = buffers.take('scratch', 16, 'good');
  const submit = () => openCommands(context).submit('test');
  const read = () => readBuffer(context, good, 0, 16);
  for (const end of [read, () => settle(context)]) {
    buffers.drop(buffers.take('scratch', 2 * device.limits.maxBufferSize, 'far too large'));
    // as work does that nobody waits for
    await expect(submit()).rejects.toMatchObject(REFUSED);
    await expect(submit()).rejects.toMatchObject(REFUSED);
    await expect(end()).rejects.toMatchObject(REFUSED);
    await submit();
    await read();
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
  playOutOfMemory(opened.context.device, 'no room for 45 GB');
  await expect(settle(opened.context)).rejects.toMatchObject({
    code: 'GPU_OUT_OF_MEMORY',
    facts: { found: 'no room for 45 GB' },
  });
});
