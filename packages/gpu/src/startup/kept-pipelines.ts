import type { GpuContext } from '../device/context.ts';
import type { KernelSpec } from '../device/kernel.ts';
import { nextTurn } from '../device/next-turn.ts';
import type { DeviceKey, DeviceStore } from './device-store.ts';

/** The pipelines that processes before this one needed on the same device. */
export interface KeptPipelines {
  /** Settles when all of them are compiled; how many they are. */
  readonly compiled: Promise<number>;
  /** Those that this process has needed until now are for the next one. */
  keep(): Promise<void>;
}

/**
 * Compiles the pipelines that were kept, side by side and beside whatever else the start has to do: whoever asks for
 * one of them finds it there or on its way. Returns when all are asked for. A software adapter compiles at the first
 * dispatch, so that there is nothing to gain.
 */
export async function openKeptPipelines(
  context: GpuContext,
  key: DeviceKey,
  store: DeviceStore,
): Promise<KeptPipelines> {
  let stored = context.traits.software ? null : await store.read('pipelines', key);
  const kept = stored === null ? [] : decodePipelines(stored, key, store);
  const compiling: Promise<void>[] = [];
  for (const spec of kept) {
    compiling.push(context.kernels.prepare(spec));
    // reading and linking a kernel takes the loop some ms
    await nextTurn();
  }
  return {
    compiled: Promise.all(compiling).then(() => kept.length),
    keep: async () => {
      if (context.traits.software) return;
      const text = encodePipelines(key, context.kernels.asked);
      if (text === stored) return;
      stored = text;
      await store.write('pipelines', key, text);
    },
  };
}

export const encodePipelines = (key: DeviceKey, specs: readonly KernelSpec[]): string =>
  `${JSON.stringify({ ...key, specs }, null, 1)}\n`;

/** The stored list; an empty one, with a warning, where it is damaged or of another device. */
export function decodePipelines(
  text: string,
  key: DeviceKey,
  { warn }: Pick<DeviceStore, 'warn'>,
): readonly KernelSpec[] {
  try {
    const found = JSON.parse(text) as Record<string, unknown>;
    const { adapter, kernels, specs } = found;
    if (adapter === key.adapter && kernels === key.kernels && Array.isArray(specs)) {
      if (specs.every(isSpec)) return specs;
    }
  } catch {
    // said below
  }
  warn('the stored pipelines of this adapter are not used: they are damaged or of another');
  return [];
}

const NAME = /^[a-z0-9-]+[/][a-z0-9-]+[.]wgsl$/;

function isSpec(value: unknown): value is KernelSpec {
  const { file, bindings, workgroupSize } = (value ?? {}) as Record<string, unknown>;
  const named = typeof file === 'string' && NAME.test(file);
  return named && typeof bindings === 'string' && Number.isInteger(workgroupSize);
}
