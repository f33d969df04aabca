import { expect, it } from 'vitest';
import { openTestDevice } from '../testing/software-device.ts';
import { readKernel } from './device.ts';
import { createKernelCache } from './kernel.ts';

it('a pipeline that the driver could not make is made for who asks again', async () => {
  const { context, close } = await openTestDevice();
  const { device, variants } = context;
  let refusals = 1;
  const forgetful = new Proxy(device, {
    get: (target, name) => {
      const value = Reflect.get(target, name, target);
      if (name === 'createComputePipelineAsync' && refusals-- > 0) {
        return () => Promise.reject(new Error('no memory for a pipeline'));
      }
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
  const kernels = createKernelCache(forgetful, variants, readKernel);
  const spec = { file: 'field/canon-fr.wgsl', bindings: 'rwu', workgroupSize: 64 };
  await expect(kernels.get(spec)).rejects.toThrow('no memory for a pipeline');
  const kernel = await kernels.get(spec);
  expect(await kernels.get(spec)).toBe(kernel);
  expect(kernels.compiled.count).toBe(1);
  close();
});
