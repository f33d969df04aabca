import { CuzkError } from '@cuzk/core/errors';

import { type KernelReader, linkWgsl, type WgslConst } from './wgsl.ts';

/**
 * r = read-only storage, w = read-write storage, u = uniform with a dynamic offset, as the last one; binding i of
 * group 0 is letter i.
 */
export type BindingKinds = string;

export interface KernelSpec {
  /** Path below kernels/, e.g. `msm/digits.wgsl`. */
  readonly file: string;
  readonly bindings: BindingKinds;
  /** Invocations per workgroup; reaches the kernel as the constant WG. */
  readonly workgroupSize: number;
  readonly constants?: Readonly<Record<string, WgslConst>>;
  readonly substitute?: Readonly<Record<string, string>>;
}

export interface Kernel {
  readonly label: string;
  readonly workgroupSize: number;
  readonly bindings: BindingKinds;
  readonly layout: GPUBindGroupLayout;
  readonly pipeline: GPUComputePipeline;
}

/** u32 constant for a kernel. */
export const u32Const = (value: number): WgslConst => ({ type: 'u32', value });

/** Compiles kernels on demand and keeps them; the same spec gives the same pipeline. */
export interface KernelCache {
  get(spec: KernelSpec): Promise<Kernel>;
  /**
   * Begins to compile what will be asked for; settles when that has ended. What cannot be compiled is an error of
   * whoever asks for it.
   */
  prepare(spec: KernelSpec): Promise<void>;
  /** Those that were asked for, each once. */
  readonly asked: readonly KernelSpec[];
  /** Pipelines compiled so far and the seconds they took. */
  readonly compiled: { count: number; seconds: number };
}

const BINDING_TYPES: Record<string, GPUBufferBindingType> = {
  r: 'read-only-storage',
  w: 'storage',
  u: 'uniform',
};

/** Names of the multipliers the kernels are linked with: FieldVariants of context.ts, which builds on this file. */
interface VariantNames {
  readonly fp: string;
  readonly fr: string;
}

/** Import substitutions that select the field variant in every kernel. */
function fieldSubstitutions(variants: VariantNames): Record<string, string> {
  return {
    'field/fp.wgsl': `generated/fp-${variants.fp}.wgsl`,
    'field/fr.wgsl': `generated/fr-${variants.fr}.wgsl`,
  };
}

/** Kernel cache of one device. Errors are GPU_KERNEL_INVALID with file and line of the first message. */
export function createKernelCache(
  device: GPUDevice,
  variants: VariantNames,
  read: KernelReader,
): KernelCache {
  const kernels = new Map<string, Promise<Kernel>>();
  const asked = new Map<string, KernelSpec>();
  const compiled = { count: 0, seconds: 0 };
  const kernelOf = (key: string, spec: KernelSpec): Promise<Kernel> => {
    let kernel = kernels.get(key);
    if (kernel === undefined) {
      kernel = compileKernel(device, variants, read, spec, compiled);
      kernels.set(key, kernel);
      // who asks again has another try: a driver may have been out of memory
      kernel.catch(() => kernels.delete(key));
    }
    return kernel;
  };
  return {
    get: (spec) => {
      const key = keyOf(spec);
      asked.set(key, spec);
      return kernelOf(key, spec);
    },
    prepare: (spec) =>
      kernelOf(keyOf(spec), spec).then(
        () => {},
        () => {},
      ),
    get asked() {
      return [...asked.values()];
    },
    compiled,
  };
}

const keyOf = ({ file, bindings, workgroupSize, constants, substitute }: KernelSpec): string =>
  JSON.stringify([file, bindings, workgroupSize, constants, substitute]);

async function compileKernel(
  device: GPUDevice,
  variants: VariantNames,
  read: KernelReader,
  spec: KernelSpec,
  compiled: { count: number; seconds: number },
): Promise<Kernel> {
  const start = performance.now();
  const constants = { WG: u32Const(spec.workgroupSize), ...spec.constants };
  const source = linkWgsl(read, spec.file, constants, {
    ...fieldSubstitutions(variants),
    ...spec.substitute,
  });
  const module = device.createShaderModule({ code: source.code, label: spec.file });
  const info = await module.getCompilationInfo();
  const message = info.messages.find((entry) => entry.type === 'error');
  if (message !== undefined) {
    throw new CuzkError(
      'GPU_KERNEL_INVALID',
      `${source.locate(message.lineNum)}: ${message.message}`,
    );
  }
  const layout = device.createBindGroupLayout({
    label: spec.file,
    entries: [...spec.bindings].map((kind, binding) => ({
      binding,
      visibility: GPUShaderStage.COMPUTE,
      buffer: {
        type: BINDING_TYPES[kind] as GPUBufferBindingType,
        hasDynamicOffset: kind === 'u',
      },
    })),
  });
  const pipeline = await device.createComputePipelineAsync({
    label: spec.file,
    layout: device.createPipelineLayout({ label: spec.file, bindGroupLayouts: [layout] }),
    compute: { module, entryPoint: 'main' },
  });
  compiled.count += 1;
  compiled.seconds += (performance.now() - start) / 1000;
  return {
    label: spec.file,
    workgroupSize: spec.workgroupSize,
    bindings: spec.bindings,
    layout,
    pipeline,
  };
}
