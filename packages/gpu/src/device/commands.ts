import { type Binding, createBindGroups, UNIFORM_BYTES } from './bind-groups.ts';
import type { GpuContext } from './context.ts';
import { faultsOf, throwOnce } from './device-faults.ts';
import type { Kernel } from './kernel.ts';
import { readBackOf } from './read-back.ts';

export type { Binding } from './bind-groups.ts';

/** Widest dispatch in one dimension; wider ones fold into y and kernels use linear_id (field/grid.wgsl). */
const MAX_GROUPS = 65_535;
/**
 * Software adapters clear in pieces: Dawn's OpenGL back end copies zeros from host memory that it takes for each, which
 * is 8 times as fast where they fit a cache (48 MiB in 41 and in 5 ms).
 */
const SOFTWARE_CLEAR_BYTES = 2 ** 20;
/** Uniforms that the buffer of a new recorder has room for. */
const FIRST_UNIFORMS = 64;

/** Whole groups of `size` that cover `count`. */
export const groupsFor = (count: number, size: number): number => Math.ceil(count / size);

/**
 * Records dispatches, copies and clears in order, then submits them at once. A kernel whose last binding is a
 * uniform gets its `params` words from one buffer that is written per submit.
 */
export interface Commands {
  /** `groups` workgroups; bindings in binding order without the trailing uniform; params as u32 words. */
  dispatch(
    kernel: Kernel,
    bindings: readonly Binding[],
    groups: number,
    params?: readonly number[],
  ): void;
  copy(
    from: GPUBuffer,
    fromOffset: number,
    to: GPUBuffer,
    toOffset: number,
    sizeBytes: number,
  ): void;
  clear(buffer: GPUBuffer, offset?: number, sizeBytes?: number): void;
  /**
   * Submits before it returns; the promise settles when the device is done. Rejects with CuzkError GPU_OUT_OF_MEMORY or
   * INTERNAL where the device refused something (device-faults.ts).
   */
  submit(phase: string): Promise<void>;
}

interface Dispatch {
  readonly kind: 'dispatch';
  readonly kernel: Kernel;
  readonly bindings: readonly Binding[];
  readonly x: number;
  readonly y: number;
  /** Number of its uniform, −1 where it has none. */
  readonly uniform: number;
}
type Step =
  | Dispatch
  | {
      readonly kind: 'copy';
      readonly from: GPUBuffer;
      readonly fromOffset: number;
      readonly to: GPUBuffer;
      readonly toOffset: number;
      readonly size: number;
    }
  | {
      readonly kind: 'clear';
      readonly buffer: GPUBuffer;
      readonly offset: number;
      readonly size: number;
    };

export function openCommands(context: GpuContext): Commands {
  const { device } = context;
  let steps: Step[] = [];
  let uniforms: (readonly number[])[] = [];
  let uniformBuffer: GPUBuffer | undefined;
  let groups = createBindGroups(device);

  const dispatch: Commands['dispatch'] = (kernel, bindings, workgroups, params) => {
    if (workgroups <= 0) return;
    requireBindings(kernel, bindings, params);
    const y = Math.ceil(workgroups / MAX_GROUPS);
    const uniform = params === undefined ? -1 : uniforms.push(params) - 1;
    steps.push({ kind: 'dispatch', kernel, bindings, x: Math.ceil(workgroups / y), y, uniform });
  };

  // The write is ordered like a submit, so it cannot overtake dispatches that still read the values before.
  const writeUniforms = (): void => {
    if (uniforms.length === 0) return;
    const sizeBytes = uniforms.length * UNIFORM_BYTES;
    if (uniformBuffer === undefined || uniformBuffer.size < sizeBytes) {
      uniformBuffer = device.createBuffer({
        label: 'uniforms',
        size: Math.max(FIRST_UNIFORMS * UNIFORM_BYTES, 2 ** Math.ceil(Math.log2(sizeBytes))),
        usage: GPUBufferUsage.UNIFORM | GPUBufferUsage.COPY_DST,
      });
      groups = createBindGroups(device);
    }
    const words = new Uint32Array(sizeBytes / 4);
    uniforms.forEach((params, i) => {
      words.set(params, (i * UNIFORM_BYTES) / 4);
    });
    device.queue.writeBuffer(uniformBuffer, 0, words);
  };

  const encode = (phase: string, encoder: GPUCommandEncoder): (() => void) => {
    const mark = context.timer.begin(phase);
    let pass: GPUComputePassEncoder | undefined;
    const endPass = (): void => {
      pass?.end();
      pass = undefined;
    };
    for (const step of steps) {
      if (step.kind === 'dispatch') {
        if (mark.byKernel) endPass();
        pass ??= beginPass(encoder, phase, mark.passTimestamps(step.kernel.label));
        pass.setPipeline(step.kernel.pipeline);
        const group = groups.get(step.kernel, step.bindings, uniformBuffer);
        pass.setBindGroup(0, group, step.uniform < 0 ? [] : [step.uniform * UNIFORM_BYTES]);
        pass.dispatchWorkgroups(step.x, step.y);
        continue;
      }
      endPass();
      if (step.kind === 'copy') {
        encoder.copyBufferToBuffer(step.from, step.fromOffset, step.to, step.toOffset, step.size);
      } else {
        encoder.clearBuffer(step.buffer, step.offset, step.size);
      }
    }
    endPass();
    mark.encodeEnd(encoder);
    return mark.done;
  };

  return {
    dispatch,
    copy: (from, fromOffset, to, toOffset, size) => {
      steps.push({ kind: 'copy', from, fromOffset, to, toOffset, size });
    },
    clear: (buffer, offset = 0, size = buffer.size - offset) => {
      const piece = context.traits.software ? SOFTWARE_CLEAR_BYTES : size;
      for (let at = 0; at < size; at += piece) {
        const length = Math.min(piece, size - at);
        steps.push({ kind: 'clear', buffer, offset: offset + at, size: length });
      }
    },
    submit: async (phase) => {
      writeUniforms();
      const encoder = device.createCommandEncoder({ label: phase });
      const done = encode(phase, encoder);
      steps = [];
      uniforms = [];
      device.queue.submit([encoder.finish()]);
      await device.queue.onSubmittedWorkDone();
      faultsOf(device).throwIfAny();
      done();
      context.news.onSubmitDone?.(phase);
    },
  };
}

function requireBindings(
  kernel: Kernel,
  bindings: readonly Binding[],
  params: readonly number[] | undefined,
): void {
  const wantsUniform = kernel.bindings.endsWith('u');
  if (wantsUniform !== (params !== undefined)) {
    throw new TypeError(
      `${kernel.label}: params expected exactly when the last binding is a uniform`,
    );
  }
  if (bindings.length + (wantsUniform ? 1 : 0) !== kernel.bindings.length) {
    throw new TypeError(
      `${kernel.label}: expected bindings "${kernel.bindings}", got ${bindings.length}`,
    );
  }
}

function beginPass(
  encoder: GPUCommandEncoder,
  label: string,
  timestampWrites: GPUComputePassTimestampWrites | undefined,
): GPUComputePassEncoder {
  return encoder.beginComputePass(
    timestampWrites === undefined ? { label } : { label, timestampWrites },
  );
}

/** Copies a range of a buffer to the host, as it is once everything submitted before is done. Rejects as `submit`. */
export async function readBuffer(
  context: GpuContext,
  buffer: GPUBuffer,
  offset = 0,
  sizeBytes = buffer.size - offset,
): Promise<ArrayBuffer> {
  const { device } = context;
  const pool = readBackOf(device);
  const staging = pool.take(sizeBytes);
  const encoder = device.createCommandEncoder();
  encoder.copyBufferToBuffer(buffer, offset, staging, 0, sizeBytes);
  device.queue.submit([encoder.finish()]);
  await staging.mapAsync(GPUMapMode.READ, 0, sizeBytes);
  const copy = staging.getMappedRange(0, sizeBytes).slice(0);
  staging.unmap();
  pool.give(staging);
  throwOnce(device);
  return copy;
}
