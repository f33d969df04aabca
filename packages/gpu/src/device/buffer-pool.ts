/**
 * Storage buffers by class. The pool counts bytes in flight per class, so that a leak has a name, and keeps
 * released buffers of the same size for the next request.
 */
export type BufferClass = 'srs' | 'witness' | 'evaluations' | 'scratch' | 'shape' | 'staging';

/**
 * A bound on a pool's memory. Idle buffers make room, those that were idle longest first. Work on the device may still
 * use a buffer that goes: its memory comes back when that is done, so who needs the room waits first.
 */
export interface PoolBound {
  readonly limitBytes: number;
  /**
   * An H200 takes 40 ms to destroy and make 1 GiB, so an idle buffer that is too large may do. `any`: one up to three
   * times too large, where there is no room for a new one. `evaluations`: one made for evaluations and up to half too
   * large, for scratch alone, whether there is room or not, so that what is in use does not depend on what else is.
   */
  readonly reuseLarger: false | 'evaluations' | 'any';
}

/** What a pool needs to know of a buffer. */
interface Pooled {
  readonly size: number;
  label: string;
  destroy(): void;
}

export interface BufferPool<B extends Pooled = GPUBuffer> {
  /** A zeroed or recycled (stale contents) storage buffer of at least `sizeBytes`, rounded up to 16. */
  take(kind: BufferClass, sizeBytes: number, label: string): B;
  /** Returns a buffer for reuse. */
  give(buffer: B): void;
  /** Destroys a buffer at once. */
  drop(buffer: B): void;
  /** Destroys all idle buffers. */
  trim(): void;
  /** While `work` runs, no more than that is in use and idle, unless what is in use alone is more. */
  within<T>(bound: PoolBound, work: () => Promise<T>): Promise<T>;
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

/** Of an idle buffer over what is asked for. */
const MOST_TOO_LARGE = { any: 3, evaluations: 1.5 };

const UNBOUND: PoolBound = { limitBytes: Number.POSITIVE_INFINITY, reuseLarger: false };

/** A pool of storage buffers of a device. */
export const openBufferPool = (device: GPUDevice): BufferPool =>
  createBufferPool((size) =>
    device.createBuffer({
      size,
      usage: GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_SRC | GPUBufferUsage.COPY_DST,
    }),
  );

/** A pool of buffers that `make` makes, by size in bytes. */
export function createBufferPool<B extends Pooled>(
  make: (sizeBytes: number) => B,
  bound: PoolBound = UNBOUND,
): BufferPool<B> {
  const owners = new Map<B, BufferClass>();
  const madeForEvaluations = new WeakSet<B>();
  /** In the order in which they were given back. */
  const idle = new Set<B>();
  const bytesInUse = Object.fromEntries(CLASSES.map((kind) => [kind, 0])) as Record<
    BufferClass,
    number
  >;
  let idleBytes = 0;
  let peakBytes = 0;
  let current = bound;

  const leave = (buffer: B): void => {
    const kind = owners.get(buffer);
    if (kind === undefined)
      throw new TypeError(`buffer "${buffer.label}" is not in use in this pool`);
    owners.delete(buffer);
    bytesInUse[kind] -= buffer.size;
  };
  const allInUse = (): number => CLASSES.reduce((sum, name) => sum + bytesInUse[name], 0);
  /** Destroys idle buffers until there are no more than `mostBytes` of them. */
  const shrink = (mostBytes: number): void => {
    for (const buffer of idle) {
      if (idleBytes <= mostBytes) return;
      idle.delete(buffer);
      idleBytes -= buffer.size;
      buffer.destroy();
    }
  };
  const room = (): number => current.limitBytes - allInUse();
  const findIdle = (kind: BufferClass, size: number): B | undefined => {
    const all = [...idle];
    // the last one given back may still be in a cache
    const exact = all.findLast((buffer) => buffer.size === size);
    const { reuseLarger } = current;
    if (exact !== undefined || !reuseLarger) return exact;
    const withinOf = (times: number): B[] =>
      all
        .filter((buffer) => buffer.size >= size && buffer.size <= times * size)
        .toSorted((x, y) => x.size - y.size);
    if (reuseLarger === 'any') {
      return idleBytes + size <= room() ? undefined : withinOf(MOST_TOO_LARGE.any)[0];
    }
    if (kind !== 'scratch') return undefined;
    return withinOf(MOST_TOO_LARGE.evaluations).find((buffer) => madeForEvaluations.has(buffer));
  };
  const takeIdle = (kind: BufferClass, size: number): B | undefined => {
    const buffer = findIdle(kind, size);
    if (buffer === undefined) return undefined;
    idle.delete(buffer);
    idleBytes -= buffer.size;
    return buffer;
  };
  const create = (kind: BufferClass, size: number): B => {
    shrink(Math.max(0, room() - size));
    const buffer = make(size);
    if (kind === 'evaluations') madeForEvaluations.add(buffer);
    return buffer;
  };

  return {
    take(kind, sizeBytes, label) {
      const size = Math.max(16, Math.ceil(sizeBytes / 16) * 16);
      const buffer = takeIdle(kind, size) ?? create(kind, size);
      buffer.label = label;
      owners.set(buffer, kind);
      bytesInUse[kind] += buffer.size;
      peakBytes = Math.max(peakBytes, idleBytes + allInUse());
      return buffer;
    },
    give(buffer) {
      leave(buffer);
      idle.add(buffer);
      idleBytes += buffer.size;
    },
    drop(buffer) {
      leave(buffer);
      buffer.destroy();
    },
    trim: () => shrink(0),
    within: async (inner, work) => {
      const outer = current;
      current = { ...inner, limitBytes: Math.min(outer.limitBytes, inner.limitBytes) };
      shrink(Math.max(0, room()));
      try {
        return await work();
      } finally {
        current = outer;
      }
    },
    bytesInUse,
    get idleBytes() {
      return idleBytes;
    },
    get peakBytes() {
      return peakBytes;
    },
  };
}
