import { UNIFORM_BYTES } from './bind-groups.ts';
import type { GpuContext } from './context.ts';
import { faultsOf } from './device-faults.ts';
import type { KernelSpec } from './kernel.ts';

/**
 * Has the driver compile a kernel that it would otherwise compile at its first dispatch, as software adapters do:
 * dispatches no workgroup at all, so that nothing is read or written. Their number is in a buffer, since a dispatch
 * that is known to be empty is left out before the driver compiles. Errors: those of the kernel.
 */
export async function compileOnly(context: GpuContext, spec: KernelSpec): Promise<void> {
  const { device } = context;
  const kernel = await context.kernels.get(spec);
  const take = (usage: number, size = UNIFORM_BYTES): GPUBuffer =>
    device.createBuffer({ label: 'compile only', size, usage });
  const workgroups = take(GPUBufferUsage.INDIRECT, 12);
  const buffers = [...kernel.bindings].map((kind) =>
    take(kind === 'u' ? GPUBufferUsage.UNIFORM : GPUBufferUsage.STORAGE),
  );
  try {
    const encoder = device.createCommandEncoder({ label: 'compile only' });
    const pass = encoder.beginComputePass({ label: kernel.label });
    pass.setPipeline(kernel.pipeline);
    const entries = buffers.map((buffer, binding) => ({ binding, resource: { buffer } }));
    const group = device.createBindGroup({ label: kernel.label, layout: kernel.layout, entries });
    pass.setBindGroup(0, group, kernel.bindings.endsWith('u') ? [0] : []);
    pass.dispatchWorkgroupsIndirect(workgroups, 0);
    pass.end();
    device.queue.submit([encoder.finish()]);
    await device.queue.onSubmittedWorkDone();
    faultsOf(device).throwIfAny();
  } finally {
    for (const buffer of [workgroups, ...buffers]) buffer.destroy();
  }
}
