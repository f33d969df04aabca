import { oneForEach } from './one-for-each.ts';

/** Small buffers that the host reads from, kept for reuse: a large GPU takes a millisecond to make one. */
export interface ReadBack {
  /** `size` bytes or more, from offset 0. */
  take(sizeBytes: number): GPUBuffer;
  /** Unmapped. */
  give(buffer: GPUBuffer): void;
}

/** Larger ones are made for each use. */
const LARGEST_KEPT = 2 ** 16;
const SMALLEST = 2 ** 8;

/** A buffer that the host can read what was copied to it from. */
export const createReadBack = (device: GPUDevice, size: number): GPUBuffer =>
  device.createBuffer({
    label: 'read back',
    size,
    usage: GPUBufferUsage.MAP_READ | GPUBufferUsage.COPY_DST,
  });

/** The buffers of a device; they live as long as it. */
export const readBackOf = oneForEach((device: GPUDevice): ReadBack => {
  const free = new Map<number, GPUBuffer[]>();
  return {
    take: (sizeBytes) => {
      const size =
        sizeBytes > LARGEST_KEPT
          ? sizeBytes
          : 2 ** Math.ceil(Math.log2(Math.max(SMALLEST, sizeBytes)));
      return free.get(size)?.pop() ?? createReadBack(device, size);
    },
    give: (buffer) => {
      if (buffer.size > LARGEST_KEPT) {
        buffer.destroy();
        return;
      }
      const list = free.get(buffer.size) ?? [];
      list.push(buffer);
      free.set(buffer.size, list);
    },
  };
});
