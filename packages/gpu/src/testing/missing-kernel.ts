import type { GpuContext } from '../device/context.ts';

/** The context with a cache that has everything but the kernel that is asked for as number `missing`, from 0. */
export function withMissingKernel(
  context: GpuContext,
  missing: number,
): { readonly context: GpuContext; asked(): number } {
  let asked = 0;
  const get: GpuContext['kernels']['get'] = (spec) =>
    asked++ === missing ? Promise.reject(new Error('no pipeline')) : context.kernels.get(spec);
  const kernels = Object.assign(Object.create(context.kernels), { get });
  return { context: { ...context, kernels }, asked: () => asked };
}
