import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openTestDevice } from '../testing/software-device.ts';
import { openCommands, readBuffer } from './commands.ts';
import type { OpenedDevice } from './device.ts';

describe('clear', () => {
  let opened: OpenedDevice;
  beforeAll(async () => {
    opened = await openTestDevice();
  });
  afterAll(() => opened.close());

  const WORDS = 2 ** 20;
  const PIECE_BYTES = 2 ** 20;

  /** First and last word that are zero in a buffer of ones after the clear, and how many are. */
  async function zerosAfter(offset?: number, sizeBytes?: number) {
    const { context } = opened;
    const buffer = context.buffers.take('scratch', 4 * WORDS, 'ones');
    context.device.queue.writeBuffer(buffer, 0, new Uint32Array(WORDS).fill(1));
    const commands = openCommands(context);
    commands.clear(buffer, offset, sizeBytes);
    await commands.submit('clear');
    const words = new Uint32Array(await readBuffer(context, buffer));
    context.buffers.give(buffer);
    const count = words.reduce((sum, word) => sum + (word === 0 ? 1 : 0), 0);
    return { first: words.indexOf(0), last: words.lastIndexOf(0), count };
  }

  it('reaches from its offset to its end and no further, over several pieces', async () => {
    const [offset, size] = [16, 2 * PIECE_BYTES + 48];
    const [first, count] = [offset / 4, size / 4];
    expect(await zerosAfter(offset, size)).toEqual({ first, last: first + count - 1, count });
  });

  it('reaches to the end of the buffer where no size is given, and nowhere where it is zero', async () => {
    expect(await zerosAfter()).toEqual({ first: 0, last: WORDS - 1, count: WORDS });
    expect(await zerosAfter(4 * WORDS - 16)).toEqual({
      first: WORDS - 4,
      last: WORDS - 1,
      count: 4,
    });
    expect(await zerosAfter(0, 0)).toEqual({ first: -1, last: -1, count: 0 });
  });
});
