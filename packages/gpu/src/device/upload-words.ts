import type { BufferClass } from './buffer-pool.ts';
import type { GpuContext } from './context.ts';

/** Words in a buffer of the class; of no words, a buffer that nothing is written to. */
export function uploadWords(
  context: GpuContext,
  bufferClass: BufferClass,
  words: Uint32Array,
  label: string,
): GPUBuffer {
  const buffer = context.buffers.take(bufferClass, words.byteLength, label);
  if (words.length > 0) {
    context.device.queue.writeBuffer(
      buffer,
      0,
      words.buffer as ArrayBuffer,
      words.byteOffset,
      words.byteLength,
    );
  }
  return buffer;
}
