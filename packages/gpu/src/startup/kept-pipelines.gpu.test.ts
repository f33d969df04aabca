import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { OpenedDevice } from '../device/device.ts';
import { readKernel } from '../device/device.ts';
import { createKernelCache, type KernelSpec, u32Const } from '../device/kernel.ts';
import { openTestDevice } from '../testing/software-device.ts';
import type { DeviceStore } from './device-store.ts';
import { decodePipelines, encodePipelines, openKeptPipelines } from './kept-pipelines.ts';

const key = { adapter: 'a card', kernels: 'a digest' };
const canon: KernelSpec = { file: 'field/canon-fr.wgsl', bindings: 'rwu', workgroupSize: 64 };
const place: KernelSpec = {
  file: 'setup/place-points.wgsl',
  bindings: 'rrrwu',
  workgroupSize: 64,
  constants: { ROW: u32Const(6), PLACEMENT: u32Const(0) },
};

describe('pipelines that are kept', () => {
  let opened: OpenedDevice;
  beforeAll(async () => {
    opened = await openTestDevice();
  });
  afterAll(() => opened.close());

  /** The device as if it were hardware, with nothing compiled. */
  const fresh = () => {
    const { context } = opened;
    const kernels = createKernelCache(context.device, context.variants, readKernel);
    return { ...context, traits: { ...context.traits, software: false }, kernels };
  };
  const memory = (texts: string[] = [], warnings: string[] = []): DeviceStore => ({
    read: async () => texts.at(-1) ?? null,
    write: async (kind, _key, text) => {
      expect(kind).toBe('pipelines');
      texts.push(text);
    },
    warn: (message) => warnings.push(message),
  });

  it('are compiled by the next process before anybody asks, and are what that one needed after it', async () => {
    const texts: string[] = [];
    const store = memory(texts);
    const first = fresh();
    const pipelines = await openKeptPipelines(first, key, store);
    await first.kernels.get(canon);
    await first.kernels.get(place);
    await first.kernels.get(canon);
    await pipelines.keep();
    await pipelines.keep();
    expect(texts).toHaveLength(1);

    const second = fresh();
    const again = await openKeptPipelines(second, key, store);
    expect(second.kernels.asked).toEqual([]);
    await second.kernels.get(place);
    expect(await again.compiled).toBe(2);
    expect(second.kernels.compiled.count).toBe(2);
    await again.keep();
    expect(decodePipelines(texts[1], key, store)).toEqual([place]);
  });

  it('do no harm where a kernel is gone, and are refused where the list is damaged or foreign', async () => {
    const gone = { ...canon, file: 'field/gone.wgsl' };
    const context = fresh();
    const kept = memory([encodePipelines(key, [gone, canon])]);
    await (await openKeptPipelines(context, key, kept)).compiled;
    expect(context.kernels.compiled.count).toBe(1);
    await expect(context.kernels.get(gone)).rejects.toThrow();

    const warnings: string[] = [];
    const refused = (text: string) => decodePipelines(text, key, memory([], warnings));
    const text = encodePipelines(key, [canon]);
    for (const bad of [
      text.slice(0, -9),
      'null',
      encodePipelines({ ...key, kernels: 'b' }, [canon]),
      encodePipelines(key, [{ ...canon, file: '../../../etc/passwd' }]),
      encodePipelines(key, [{ file: canon.file } as KernelSpec]),
    ]) {
      expect(refused(bad)).toEqual([]);
    }
    expect(warnings).toHaveLength(5);
    expect(refused(text)).toEqual([canon]);
  });
});
