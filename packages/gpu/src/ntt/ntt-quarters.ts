import { FR_BYTES } from '@cuzk/core/field/fr';
import type { Binding } from '../device/commands.ts';
import type { FrVector } from '../field/fr-vector.ts';

/** For every block of 2^logBlock elements the parts of its quarters that each lie in one segment. */
export function* quarterChunks(
  vector: FrVector,
  logBlock: number,
): Generator<{ start: number; count: number; bindings: Binding[] }> {
  const quarter = 2 ** (logBlock - 2);
  const count = Math.min(quarter, vector.segmentLength);
  for (let block = 0; block < vector.length; block += 4 * quarter) {
    for (let start = 0; start < quarter; start += count) {
      const bindings = [0, 1, 2, 3].map((k): Binding => {
        const at = block + k * quarter + start;
        const index = Math.floor(at / vector.segmentLength);
        return {
          buffer: vector.segments[index],
          offset: (at - index * vector.segmentLength) * FR_BYTES,
          size: count * FR_BYTES,
        };
      });
      yield { start, count, bindings };
    }
  }
}
