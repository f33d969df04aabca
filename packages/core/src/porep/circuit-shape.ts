import { CuzkError } from '../errors.ts';
import { compileTemplate, type UndigestedShape } from '../r1cs/compile-shape.ts';
import type { IncrementalHash } from '../r1cs/incremental-hash.ts';
import type { HashCheckpoints } from '../r1cs/row-hasher.ts';
import type { CircuitShape } from '../r1cs/shape.ts';
import { shapeDigestOf } from '../r1cs/shape-digest.ts';
import { PINNED_CIRCUITS, type PinnedCircuit } from './pinned-circuits.ts';
import type { SectorShape } from './sector.ts';
import { stackedCircuit } from './stacked-circuit.ts';

/**
 * Compiles the PoRep circuit of a sector size and hashes all of its rows with `hash`, a fresh BLAKE2s-256
 * (seconds for sizes up to 1 GiB, minutes for 32 and 64 GiB). `beforeHashing` gets the shape before that; what it
 * throws ends the compilation. Throws CuzkError SHAPE_MALFORMED where the result is not the pinned circuit, which means
 * that this program is wrong, and RangeError for a size without a pinned circuit.
 */
export function compileStackedShape(
  sector: SectorShape,
  hash: IncrementalHash,
  checkpoints?: HashCheckpoints,
  beforeHashing: (template: UndigestedShape) => void = () => {},
): CircuitShape {
  const template = compileTemplate(stackedCircuit(sector));
  requirePinned(sector, template, COUNTS);
  beforeHashing(template);
  const shape = { ...template, shapeDigest: shapeDigestOf(template, hash, checkpoints) };
  requirePinnedShape(sector, shape);
  return shape;
}

/** Checks that a shape, however it was obtained, says to be the pinned circuit. Throws as compileStackedShape. */
export const requirePinnedShape = (sector: SectorShape, shape: CircuitShape): void =>
  requirePinned(sector, shape, [...COUNTS, 'shapeDigest']);

const COUNTS = ['inputs', 'aux', 'constraints'] as const;

function requirePinned(
  sector: SectorShape,
  found: Partial<PinnedCircuit>,
  keys: readonly (keyof PinnedCircuit)[],
): void {
  const pinned = PINNED_CIRCUITS.get(sector.sectorBytes);
  if (pinned === undefined) {
    throw new RangeError(`sector: no pinned circuit for ${sector.sectorBytes} bytes`);
  }
  for (const key of keys) {
    if (found[key] !== pinned[key]) {
      throw new CuzkError('SHAPE_MALFORMED', `The ${sector.name} circuit is not the pinned one.`, {
        expected: `${key} ${pinned[key]}`,
        found: `${key} ${found[key]}`,
      });
    }
  }
}
