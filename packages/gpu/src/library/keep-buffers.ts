import type { BufferPool } from '../device/buffer-pool.ts';
import type { GpuContext } from '../device/context.ts';
import { oneForEach } from '../device/one-for-each.ts';

const latestOf = oneForEach((_: BufferPool) => ({ size: '' }));

/**
 * To be called before a call of this kind and size takes buffers: the same again finds its own, which other calls have
 * left goes. The pool knows no sizes but those that were asked for, so it would keep those of every call for ever.
 */
export function keepBuffersFor({ buffers }: Pick<GpuContext, 'buffers'>, size: string): void {
  const latest = latestOf(buffers);
  if (latest.size !== size) buffers.trim();
  latest.size = size;
}
