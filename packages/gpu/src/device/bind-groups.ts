import type { Kernel } from './kernel.ts';
import { oneForEach } from './one-for-each.ts';

/** A buffer, or a byte range of one (offset a multiple of 256). */
export type Binding =
  | GPUBuffer
  | { readonly buffer: GPUBuffer; readonly offset: number; readonly size: number };

/** Bytes that the uniform of one dispatch is bound with. */
export const UNIFORM_BYTES = 256;

/** Bind groups, each made once: making one costs more than recording its dispatch. */
export interface BindGroups {
  /** Group 0 of the kernel. Where its last binding is a uniform, that is bound to `uniforms` with a dynamic offset. */
  get(kernel: Kernel, bindings: readonly Binding[], uniforms: GPUBuffer | undefined): GPUBindGroup;
}

let lastNumber = 0;
const numberOf = oneForEach((_: GPUBuffer) => ++lastNumber);

const keyOf = (binding: Binding): string =>
  'buffer' in binding
    ? `${numberOf(binding.buffer)}:${binding.offset}:${binding.size}`
    : `${numberOf(binding)}`;

/** Keeps every group it has made, so it should live no longer than the operation that uses the buffers. */
export function createBindGroups(device: GPUDevice): BindGroups {
  const byKernel = new Map<Kernel, Map<string, GPUBindGroup>>();
  return {
    get: (kernel, bindings, uniforms) => {
      const all: readonly Binding[] = kernel.bindings.endsWith('u')
        ? [...bindings, { buffer: uniforms as GPUBuffer, offset: 0, size: UNIFORM_BYTES }]
        : bindings;
      let groups = byKernel.get(kernel);
      if (groups === undefined) {
        groups = new Map();
        byKernel.set(kernel, groups);
      }
      const key = all.map(keyOf).join();
      let group = groups.get(key);
      if (group === undefined) {
        group = device.createBindGroup({
          label: kernel.label,
          layout: kernel.layout,
          entries: all.map((each, binding) => ({
            binding,
            resource: 'buffer' in each ? each : { buffer: each },
          })),
        });
        groups.set(key, group);
      }
      return group;
    },
  };
}
