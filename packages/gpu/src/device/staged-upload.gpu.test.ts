import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openTestDevice } from '../testing/software-device.ts';
import { readBuffer } from './commands.ts';
import type { OpenedDevice } from './device.ts';
import { stageThrough } from './staged-upload.ts';
import { openStagingRing } from './staging-ring.ts';

const SLOT_BYTES = 64;
let opened: OpenedDevice;
beforeAll(async () => {
  opened = await openTestDevice();
});
afterAll(() => opened.close());

const bytesOf = (length: number): Uint8Array<ArrayBuffer> =>
  Uint8Array.from({ length }, (_, i) => (i * 7 + (i >> 8)) & 0xff);

describe('an upload through a ring', () => {
  it('puts every piece in its place, larger and smaller than a slot', async () => {
    const { context } = opened;
    const ring = openStagingRing(context.device, 2, SLOT_BYTES);
    const source = bytesOf(500);
    const [first, second] = [256, 400].map((size) => context.buffers.take('scratch', size, 'to'));
    const { reached, ended } = stageThrough(ring, context.device, source, [
      { from: 0, sizeBytes: 200, buffer: first, offset: 16 },
      { from: 200, sizeBytes: 300, buffer: second, offset: 4 },
    ]);
    await reached(200);
    const front = new Uint8Array(await readBuffer(context, first, 16, 200));
    expect(front).toEqual(source.subarray(0, 200));
    await reached(500);
    const back = new Uint8Array(await readBuffer(context, second, 4, 300));
    expect(back).toEqual(source.subarray(200));
    await ended;
    ring.close();
  });

  it('tells of a device that is gone, and ends', async () => {
    const { context, close } = await openTestDevice();
    const ring = openStagingRing(context.device, 1, SLOT_BYTES);
    const buffer = context.buffers.take('scratch', 512, 'to');
    const { reached, ended } = stageThrough(ring, context.device, bytesOf(512), [
      { from: 0, sizeBytes: 512, buffer, offset: 0 },
    ]);
    await reached(SLOT_BYTES);
    close();
    await expect(reached(512)).rejects.toThrow();
    await ended;
  });

  it('of a source that is transferred meanwhile fails, and the next one does not', async () => {
    const { context } = opened;
    const ring = openStagingRing(context.device, 1, SLOT_BYTES);
    const buffer = context.buffers.take('scratch', 512, 'to');
    const target = { from: 0, sizeBytes: 512, buffer, offset: 0 };
    const source = bytesOf(512);
    const broken = stageThrough(ring, context.device, source, [target]);
    structuredClone(source.buffer, { transfer: [source.buffer] });
    await expect(broken.reached(512)).rejects.toThrow();
    await broken.ended;
    const whole = stageThrough(ring, context.device, bytesOf(512), [target]);
    await whole.reached(512);
    expect(new Uint8Array(await readBuffer(context, buffer))).toEqual(bytesOf(512));
    await whole.ended;
    ring.close();
  });

  it('lets the news of the device have their turn between two pieces', async () => {
    const { context } = opened;
    const ring = openStagingRing(context.device, 16, SLOT_BYTES);
    const buffer = context.buffers.take('scratch', 512, 'to');
    const target = { from: 0, sizeBytes: 512, buffer, offset: 0 };
    const { reached, ended } = stageThrough(ring, context.device, bytesOf(512), [target]);
    await reached(SLOT_BYTES);
    let rest = false;
    void ended.then(() => {
      rest = true;
    });
    await new Promise((resolve) => setImmediate(() => resolve(undefined)));
    expect(rest).toBe(false);
    await ended;
    ring.close();
  });
});
