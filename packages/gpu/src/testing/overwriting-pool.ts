import type { GpuContext } from '../device/context.ts';

/**
 * The context with a pool that overwrites whatever is given back, at once, as its next owner may: work that is recorded
 * but not submitted by then reads zeros.
 */
export function withOverwritingPool(context: GpuContext): GpuContext {
  const { buffers, device } = context;
  const give = (buffer: GPUBuffer): void => {
    const encoder = device.createCommandEncoder();
    encoder.clearBuffer(buffer);
    device.queue.submit([encoder.finish()]);
    buffers.give(buffer);
  };
  return { ...context, buffers: Object.assign(Object.create(buffers), { give }) };
}
