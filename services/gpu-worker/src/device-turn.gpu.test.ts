import { CuzkError } from '@cuzk/core/errors';
import type { OpenedDevice } from '@cuzk/gpu/device/device';
import { faultsOf, settle } from '@cuzk/gpu/device/device-faults';
import { playOutOfMemory } from '@cuzk/gpu/testing/out-of-memory';
import { openTestDevice } from '@cuzk/gpu/testing/software-device';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { takeDeviceTurn } from './device-turn.ts';
import { Turns } from './turns.ts';

const never = new AbortController().signal;
const OUT_OF_MEMORY = { code: 'GPU_OUT_OF_MEMORY' };

let opened: OpenedDevice;
const turns = new Turns();
const take = <T>(work: () => Promise<T>): Promise<T> =>
  takeDeviceTurn(turns, opened.context, never, work);

beforeAll(async () => {
  opened = await openTestDevice();
});
afterAll(() => opened.close());

it('what the device refused fails the work whose turn it was, though others heard of it and failed meanwhile', async () => {
  const { context } = opened;
  const proof = take(async () => {
    playOutOfMemory(context.device);
    await expect(settle(context)).rejects.toMatchObject(OUT_OF_MEMORY);
    faultsOf(context.device).forget();
    return 'a proof that is not to be believed';
  });
  const next = take(async () => settle(context).then(() => 'proved'));
  await expect(proof).rejects.toMatchObject(OUT_OF_MEMORY);
  expect(await next).toBe('proved');
});

it('nothing of work that failed reaches the next: no late refusal, and no buffer for which there was no memory', async () => {
  const { context } = opened;
  const { device, buffers } = context;
  const failing = take(async () => {
    const good = buffers.take('scratch', 1024, 'without memory');
    // what the device says of work that was submitted comes when it gets there
    device.queue.onSubmittedWorkDone().then(() => playOutOfMemory(device));
    buffers.give(good);
    throw new CuzkError('GPU_OUT_OF_MEMORY', 'known before that');
  });
  const next = take(async () => {
    expect(buffers.idleBytes).toBe(0);
    await settle(context);
    return 'proved';
  });
  await expect(failing).rejects.toMatchObject(OUT_OF_MEMORY);
  expect(await next).toBe('proved');
});
