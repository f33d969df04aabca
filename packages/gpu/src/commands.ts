import type { GpuContext } from './context.ts';
import type { Kernel } from './kernel.ts';

/** A buffer, or a byte range of one (offset a multiple of 256). */
export type Binding =
  | GPUBuffer
  | { readonly buffer: GPUBuffer; readonly offset: number; readonly size: number };

const UNIFORM_ALIGNMENT = 256;
/** Widest dispatch in one dimension; wider ones fold into y and kernels use linear_id (field/grid.wgsl). */
const MAX_GROUPS = 65_535;

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
  /** Submits; the promise settles when the device is done. Awaiting it between submits is how cancel gets a turn. */
  submit(phase: string): Promise<void>;
}

type Step =
  | {
      readonly kind: 'dispatch';
      kernel: Kernel;
      bindings: readonly Binding[];
      x: number;
      y: number;
      slot: number;
    }
  | {
      readonly kind: 'copy';
      from: GPUBuffer;
      fromOffset: number;
      to: GPUBuffer;
      toOffset: number;
      size: number;
    }
  | { readonly kind: 'clear'; buffer: GPUBuffer; offset: number; size: number | undefined };

export function openCommands(context: GpuContext): Commands {
  let steps: Step[] = [];
  let uniforms: number[][] = [];

  const dispatch: Commands['dispatch'] = (kernel, bindings, groups, params) => {
    if (groups <= 0) return;
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
    const y = Math.ceil(groups / MAX_GROUPS);
    const slot = params === undefined ? -1 : uniforms.push([...params]) - 1;
    steps.push({ kind: 'dispatch', kernel, bindings, x: Math.ceil(groups / y), y, slot });
  };

  const submit = async (phase: string): Promise<void> => {
    const { device } = context;
    const recorded = steps;
    const uniformBuffer = writeUniforms(device, uniforms);
    steps = [];
    uniforms = [];
    const encoder = device.createCommandEncoder({ label: phase });
    const mark = context.timer.begin(phase);
    let pass: GPUComputePassEncoder | undefined;
    const endPass = (): void => {
      pass?.end();
      pass = undefined;
    };
    for (const step of recorded) {
      if (step.kind === 'dispatch') {
        if (pass === undefined) {
          const timestampWrites = mark.passTimestamps();
          pass = encoder.beginComputePass(
            timestampWrites === undefined ? { label: phase } : { label: phase, timestampWrites },
          );
        }
        encodeDispatch(device, pass, step, uniformBuffer);
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
    device.queue.submit([encoder.finish()]);
    await device.queue.onSubmittedWorkDone();
    mark.done();
    context.news.onSubmitDone?.(phase);
    uniformBuffer?.destroy();
  };

  return {
    dispatch,
    copy: (from, fromOffset, to, toOffset, size) => {
      steps.push({ kind: 'copy', from, fromOffset, to, toOffset, size });
    },
    clear: (buffer, offset = 0, size) => {
      steps.push({ kind: 'clear', buffer, offset, size });
    },
    submit,
  };
}

function writeUniforms(device: GPUDevice, uniforms: readonly number[][]): GPUBuffer | undefined {
  if (uniforms.length === 0) return undefined;
  const bytes = new Uint32Array((uniforms.length * UNIFORM_ALIGNMENT) / 4);
  uniforms.forEach((params, slot) => {
    bytes.set(
      params.map((value) => value >>> 0),
      (slot * UNIFORM_ALIGNMENT) / 4,
    );
  });
  const buffer = device.createBuffer({
    label: 'uniforms',
    size: bytes.byteLength,
    usage: GPUBufferUsage.UNIFORM | GPUBufferUsage.COPY_DST,
  });
  device.queue.writeBuffer(buffer, 0, bytes);
  return buffer;
}

function encodeDispatch(
  device: GPUDevice,
  pass: GPUComputePassEncoder,
  step: Extract<Step, { kind: 'dispatch' }>,
  uniformBuffer: GPUBuffer | undefined,
): void {
  const entries: GPUBindGroupEntry[] = step.bindings.map((binding, i) => ({
    binding: i,
    resource: 'buffer' in binding ? binding : { buffer: binding },
  }));
  if (step.slot >= 0 && uniformBuffer !== undefined) {
    entries.push({
      binding: entries.length,
      resource: {
        buffer: uniformBuffer,
        offset: step.slot * UNIFORM_ALIGNMENT,
        size: UNIFORM_ALIGNMENT,
      },
    });
  }
  pass.setPipeline(step.kernel.pipeline);
  pass.setBindGroup(
    0,
    device.createBindGroup({ layout: step.kernel.layout, entries, label: step.kernel.label }),
  );
  pass.dispatchWorkgroups(step.x, step.y);
}

/** Copies a range of a buffer to the host. */
export async function readBuffer(
  context: GpuContext,
  buffer: GPUBuffer,
  offset = 0,
  sizeBytes = buffer.size - offset,
): Promise<ArrayBuffer> {
  const { device } = context;
  const staging = device.createBuffer({
    label: 'read back',
    size: sizeBytes,
    usage: GPUBufferUsage.MAP_READ | GPUBufferUsage.COPY_DST,
  });
  const encoder = device.createCommandEncoder();
  encoder.copyBufferToBuffer(buffer, offset, staging, 0, sizeBytes);
  device.queue.submit([encoder.finish()]);
  await staging.mapAsync(GPUMapMode.READ);
  const copy = staging.getMappedRange().slice(0);
  staging.destroy();
  return copy;
}
