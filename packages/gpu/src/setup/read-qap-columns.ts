import { FR_BYTES } from '@cuzk/core/field/fr';
import type { PackedScalars } from '@cuzk/core/poly/packed-scalars';
import type { GpuContext } from '../device/context.ts';
import { paceCommands } from '../device/paced-commands.ts';
import { downloadFr } from '../field/fr-vector.ts';
import type { QapMatrix } from './qap-columns.ts';
import type { QapOnDevice } from './qap-on-device.ts';

/**
 * Columns first … first + count − 1 of one matrix at τ on the host, as core's evaluateQapAtTau has them, `piece` (a
 * power of two) at a time. Throws CuzkError CANCELLED.
 */
export async function readQapColumns(
  context: GpuContext,
  qap: QapOnDevice,
  matrix: QapMatrix,
  first: number,
  count: number,
  piece: number,
  signal?: AbortSignal,
): Promise<PackedScalars> {
  const bytes = new Uint8Array(count * FR_BYTES);
  const buffer = context.buffers.take('scratch', piece * FR_BYTES, 'columns');
  try {
    const paced = paceCommands(context, 'setup', signal);
    for (let done = 0; done < count; done += piece) {
      const part = Math.min(piece, count - done);
      await qap.evaluate(paced, matrix, first + done, part, buffer);
      await paced.finish();
      const vector = { length: part, segmentLength: piece, segments: [buffer] };
      bytes.set(await downloadFr(context, vector), done * FR_BYTES);
    }
    return new BigUint64Array(bytes.buffer);
  } finally {
    context.buffers.give(buffer);
  }
}
