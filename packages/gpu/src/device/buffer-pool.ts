/**
 * Storage buffers by class. The pool counts bytes in flight per class, so that a leak has a name, and keeps
 * released buffers of the same size for the next request.
 */
export type BufferClass = 'srs' | 'witness' | 'evaluations' | 'scratch' | 'shape' | 'staging';

export interface BufferPool {
  /** A zeroed or recycled (stale contents) storage buffer of at least `sizeBytes`, rounded up to 16. */
  take(kind: BufferClass, sizeBytes: number, label: string): GPUBuffer;
  /** Returns a buffer for reuse. */
  give(buffer: GPUBuffer): void;
  /** Destroys a buffer at once. */
  drop(buffer: GPUBuffer): void;
  /** Destroys all idle buffers. */
  trim(): void;
  readonly bytesInUse: Readonly<Record<BufferClass, number>>;
  readonly idleBytes: number;
  readonly peakBytes: number;
}

const CLASSES: readonly BufferClass[] = [
  'srs',
  'witness',
  'evaluations',
  'scratch',
  'shape',
  'staging',
];

export function createBufferPool(device: GPUDevice): BufferPool {
  const owners = new Map<GPUBuffer, BufferClass>();
  const idle = new Map<number, GPUBuffer[]>();
  const bytesInUse = Object.fromEntries(CLASSES.map((kind) => [kind, 0])) as Record<
    BufferClass,
    number
  >;
  let idleBytes = 0;
  let peakBytes = 0;

  const leave = (buffer: GPUBuffer): void => {
    const kind = owners.get(buffer);
    if (kind === undefined)
      throw new TypeError(`buffer "${buffer.label}" is not in use in this pool`);
    owners.delete(buffer);
    bytesInUse[kind] -= buffer.size;
  };
  const trim = (): void => {
    for (const buffers of idle.values()) for (const buffer of buffers) buffer.destroy();
    idle.clear();
    idleBytes = 0;
  };

  return {
    take(kind, sizeBytes, label) {
      const size = Math.max(16, Math.ceil(sizeBytes / 16) * 16);
      let buffer = idle.get(size)?.pop();
      if (buffer === undefined) {
        buffer = device.createBuffer({
          label,
          size,
          usage: GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_SRC | GPUBufferUsage.COPY_DST,
        });
      } else {
        idleBytes -= size;
        buffer.label = label;
      }
      owners.set(buffer, kind);
      bytesInUse[kind] += size;
      peakBytes = Math.max(
        peakBytes,
        idleBytes + CLASSES.reduce((sum, name) => sum + bytesInUse[name], 0),
      );
      return buffer;
    },
    give(buffer) {
      leave(buffer);
      const list = idle.get(buffer.size) ?? [];
      list.push(buffer);
      idle.set(buffer.size, list);
      idleBytes += buffer.size;
    },
    drop(buffer) {
      leave(buffer);
      buffer.destroy();
    },
    trim,
    bytesInUse,
    get idleBytes() {
      return idleBytes;
    },
    get peakBytes() {
      return peakBytes;
    },
  };
}
