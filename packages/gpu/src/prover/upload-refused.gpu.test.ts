import { memoryReader } from '@cuzk/core/groth16/memory-reader';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { GpuContext } from '../device/context.ts';
import type { OpenedDevice } from '../device/device.ts';
import { deviceCall } from '../device/device-call.ts';
import { playOutOfMemory } from '../testing/out-of-memory.ts';
import { makeSmall } from '../testing/sample-circuits.ts';
import { bytesInUse, makeParamsFile } from '../testing/small-params.ts';
import { openTestDevice } from '../testing/software-device.ts';
import { uploadPartition } from './prover.ts';
import { loadCircuit, type ProvingCircuit } from './proving-circuit.ts';

const made = makeSmall('poseidon2');

let opened: OpenedDevice;
let circuit: ProvingCircuit;
beforeAll(async () => {
  opened = await openTestDevice();
  const params = await makeParamsFile(opened.context, made.shape);
  circuit = await loadCircuit(opened.context, made.shape, memoryReader(params));
});
afterAll(() => {
  circuit.close();
  expect(bytesInUse(opened.context)).toBe(0);
  opened.close();
});

/** As on a device that has no buffers for witnesses: it refuses all that are asked for. */
function withoutRoom({ buffers, device, ...context }: GpuContext): GpuContext {
  const take: typeof buffers.take = (kind, _, label) =>
    buffers.take(kind, 2 * device.limits.maxBufferSize, label);
  return { ...context, device, buffers: Object.assign(Object.create(buffers), { take }) };
}

it('a witness that is refused fails alone: the work beside it ends well, and its buffers go', async () => {
  const { context } = opened;
  const beside = deviceCall(context, async () => {
    const refused = uploadPartition(withoutRoom(context), circuit, made.witness);
    await expect(refused).rejects.toMatchObject({ code: 'INTERNAL' });
    const good = await uploadPartition(context, circuit, made.witness);
    await context.device.queue.onSubmittedWorkDone();
    good.close();
    return 'done';
  });
  expect(await beside).toBe('done');
  expect(context.buffers.idleBytes).toBeLessThan(context.device.limits.maxBufferSize);
});

it('a witness takes no refusal along that the work beside it has met', async () => {
  const { context } = opened;
  const work = deviceCall(context, async () => {
    playOutOfMemory(context.device);
    const good = await uploadPartition(context, circuit, made.witness);
    good.close();
  });
  await expect(work).rejects.toMatchObject({ code: 'GPU_OUT_OF_MEMORY' });
});
