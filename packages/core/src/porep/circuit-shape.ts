import { CuzkError } from '../errors.ts';
import { compileShape } from '../r1cs/compile-shape.ts';
import type { IncrementalHash } from '../r1cs/incremental-hash.ts';
import type { HashCheckpoints } from '../r1cs/row-hasher.ts';
import type { CircuitShape } from '../r1cs/shape.ts';
import { PINNED_CIRCUITS } from './pinned-circuits.ts';
import type { SectorShape } from './sector.ts';
import { stackedCircuit } from './stacked-circuit.ts';

/**
 * Compiles the PoRep circuit of a sector size and hashes all of its rows with `hash`, a fresh BLAKE2s-256
 * (seconds for sizes up to 1 GiB, minutes for 32 and 64 GiB). Throws CuzkError SHAPE_MALFORMED where the
 * result is not the pinned circuit, which means that this program is wrong, and RangeError for a size
 * without a pinned circuit.
 */
export function compileStackedShape(
  sector: SectorShape,
  hash: IncrementalHash,
  checkpoints?: HashCheckpoints,
): CircuitShape {
  const shape = compileShape(stackedCircuit(sector), hash, checkpoints);
  requirePinnedShape(sector, shape);
  return shape;
}

/** Checks that a shape, however it was obtained, says to be the pinned circuit. Throws as compileStackedShape. */
export function requirePinnedShape(sector: SectorShape, shape: CircuitShape): void {
  const pinned = PINNED_CIRCUITS.get(sector.sectorBytes);
  if (pinned === undefined) {
    throw new RangeError(`sector: no pinned circuit for ${sector.sectorBytes} bytes`);
  }
  for (const key of ['inputs', 'aux', 'constraints', 'shapeDigest'] as const) {
    if (shape[key] !== pinned[key]) {
      throw new CuzkError('SHAPE_MALFORMED', `The ${sector.name} circuit is not the pinned one.`, {
        expected: `${key} ${pinned[key]}`,
        found: `${key} ${shape[key]}`,
      });
    }
  }
}
