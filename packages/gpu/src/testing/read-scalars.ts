import type { ScalarSegments } from '../curve/point-segments.ts';
import { readBuffer } from '../device/commands.ts';
import type { GpuContext } from '../device/context.ts';

/** The bytes of pieces of scalars, one after the other. */
export async function readPieces(
  context: GpuContext,
  pieces: AsyncIterable<ScalarSegments>,
): Promise<{ bytes: Uint8Array; counts: number[] }> {
  const parts: Uint8Array[] = [];
  const counts: number[] = [];
  for await (const { count, segments } of pieces) {
    parts.push(new Uint8Array(await readBuffer(context, segments[0], 0, 32 * count)));
    counts.push(count);
  }
  return { bytes: Uint8Array.from(Buffer.concat(parts)), counts };
}
