import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { CuzkError } from '@cuzk/core/errors';
import { create, globals } from 'webgpu';
import { askForNoSurface, askForThreads, askForWideVectors } from './config.ts';
import type { FieldVariants, GpuContext } from './context.ts';
import { isSoftware, openContext, RAISED_LIMITS } from './open-context.ts';
import { pacePolls } from './pace-polls.ts';

export type GpuMode = 'auto' | 'hardware' | 'software';

export interface OpenedDevice {
  readonly context: GpuContext;
  /** Settles when the device is lost for a reason other than close(). */
  readonly lost: Promise<string>;
  close(): void;
}

/** Unquantised timestamps; without this they are rounded to 65 µs. */
const HARDWARE_OPTIONS = ['disable-dawn-features=timestamp_quantization'];

/** Reads a kernel file below packages/gpu/kernels. The same relative path holds from src/ and dist/. */
export function readKernel(path: string): string {
  return readFileSync(fileURLToPath(new URL(`../../kernels/${path}`, import.meta.url)), 'utf8');
}

/**
 * Roots of every Dawn instance opened in this process: if one is garbage-collected while its devices live, the
 * process dies at random, so they stay referenced for its life.
 */
const roots: GPU[] = [];

function openRoot(options: string[]): GPU {
  Object.assign(globalThis, globals);
  pacePolls();
  const root = create(options);
  roots.push(root);
  return root;
}

/**
 * Opens the adapter `mode` asks for. `auto` takes hardware where there is any and software where the machine
 * shows no GPU; a visible GPU that only yields a software adapter is an error that names what is missing. With
 * `defaultLimits` the device has WebGPU's default limits and no optional feature. With `timeKernels` the timer of an
 * adapter that has timestamps lists every kernel by itself. Errors: GPU_UNAVAILABLE.
 */
export async function openDevice(
  mode: GpuMode,
  options: { variants?: FieldVariants; defaultLimits?: boolean; timeKernels?: boolean } = {},
): Promise<OpenedDevice> {
  const adapter = await chooseAdapter(mode);
  const requiredLimits: Record<string, number> = {};
  if (options.defaultLimits !== true) {
    for (const name of RAISED_LIMITS) requiredLimits[name] = adapter.limits[name];
  }
  const timestamps = options.defaultLimits !== true && adapter.features.has('timestamp-query');
  const device = await adapter.requestDevice({
    requiredLimits,
    requiredFeatures: timestamps ? ['timestamp-query'] : [],
  });
  let closing = false;
  const lost = new Promise<string>((resolve) => {
    device.lost.then(
      (info) => {
        if (!closing) resolve(`${info.reason}: ${info.message}`);
      },
      () => {},
    );
  });
  const context = openContext(device, adapter.info, readKernel, options);
  return {
    context,
    lost,
    close: () => {
      closing = true;
      device.destroy();
    },
  };
}

/** A device of Dawn's null back end: compiles and lays out every kernel, runs nothing. */
export async function openNullDevice(): Promise<GPUDevice> {
  const adapter = await openRoot(['backend=null']).requestAdapter();
  if (adapter === null) throw new CuzkError('GPU_UNAVAILABLE', 'the null back end gave no adapter');
  return adapter.requestDevice();
}

async function chooseAdapter(mode: GpuMode): Promise<GPUAdapter> {
  const visible = visibleGpus();
  if (mode !== 'software') {
    const adapter = await openRoot(HARDWARE_OPTIONS).requestAdapter({
      powerPreference: 'high-performance',
    });
    if (adapter !== null && !isSoftware(adapter.info)) return adapter;
    if (mode === 'hardware' || visible.length > 0) {
      const found =
        adapter === null ? 'no adapter' : `software adapter "${adapter.info.description}"`;
      throw new CuzkError('GPU_UNAVAILABLE', `no hardware adapter: ${found}`, {
        expected: 'a Vulkan, Metal or D3D12 adapter of a GPU',
        found:
          visible.length > 0 ? `${found}, though this machine shows ${visible.join(', ')}` : found,
        action: missingPieces(visible),
      });
    }
  }
  const software = await openSoftwareAdapter();
  if (software !== null) return software;
  throw new CuzkError('GPU_UNAVAILABLE', 'no software adapter', {
    expected: 'Mesa llvmpipe through OpenGL ES, or lavapipe 23 or newer',
    found: 'neither',
    action:
      'apt-get install libegl-dev libgles2 libegl-mesa0 libgl1-mesa-dri (Dawn asks for libEGL.so, which is in the first)',
  });
}

/** llvmpipe through surfaceless EGL first, then a Vulkan CPU driver. */
async function openSoftwareAdapter(): Promise<GPUAdapter | null> {
  if (process.platform === 'linux') {
    askForNoSurface();
    askForThreads();
    askForWideVectors();
    const adapter = await openRoot(['backend=opengles']).requestAdapter({
      featureLevel: 'compatibility',
    });
    if (adapter !== null && isSoftware(adapter.info)) return adapter;
  }
  const adapter = await openRoot(['backend=vulkan']).requestAdapter();
  return adapter !== null && isSoftware(adapter.info) ? adapter : null;
}

/** GPUs that the kernel driver shows, whether or not a user-space driver is installed. */
function visibleGpus(): string[] {
  if (process.platform !== 'linux') return [];
  const list = (folder: string, pattern: RegExp): string[] => {
    try {
      return readdirSync(folder)
        .filter((name) => pattern.test(name))
        .map((name) => `${folder}/${name}`);
    } catch {
      return [];
    }
  };
  return [...list('/dev', /^nvidia[0-9]+$/), ...list('/dev/dri', /^renderD[0-9]+$/)];
}

function missingPieces(visible: readonly string[]): string {
  if (visible.some((path) => path.startsWith('/dev/nvidia'))) {
    return (
      'install libvulkan1, libegl1 and libglvnd0; in a container set NVIDIA_DRIVER_CAPABILITIES=compute,utility,graphics; ' +
      'or name the driver with VK_DRIVER_FILES; GPU=software runs without the GPU'
    );
  }
  if (visible.length > 0) {
    return 'install libvulkan1 and mesa-vulkan-drivers, add this user to the render group, and pass /dev/dri into the container; GPU=software runs without the GPU';
  }
  return 'this machine shows no GPU device node; use GPU=auto or GPU=software to prove in software';
}
