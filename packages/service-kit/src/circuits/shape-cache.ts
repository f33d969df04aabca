import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { CuzkError } from '@cuzk/core/errors';
import { circuitId } from '@cuzk/core/porep/circuit-id';
import { compileStackedShape, requirePinnedShape } from '@cuzk/core/porep/circuit-shape';
import { PINNED_CIRCUITS } from '@cuzk/core/porep/pinned-circuits';
import type { SectorShape } from '@cuzk/core/porep/sector';
import type { CircuitShape } from '@cuzk/core/r1cs/shape';
import { decodeShape, encodeShape, shapeFileBytes } from '@cuzk/core/r1cs/shape-file';
import { requireDiskRoom } from './disk-room.ts';
import { openBlake2s, sha256 } from './node-hashes.ts';
import { replaceFile } from './replace-file.ts';

/** Rows between two news: a second's work or less. */
const CHECKPOINT_ROWS = 500_000;

/** Where the compiled shape of a circuit is kept below the cache folder. */
export const shapePath = (cacheDir: string, sector: SectorShape): string =>
  join(cacheDir, 'shapes', `${sector.name}-${circuitId(sector)}.shape`);

/**
 * The compiled circuit of a sector size: from the cache folder where a whole file is there, else compiled, checked
 * against its pinned digest and stored. A damaged file is compiled anew. Throws CuzkError DISK_FULL.
 */
export const loadShape = async (cacheDir: string, sector: SectorShape): Promise<CircuitShape> =>
  (await readCachedShape(cacheDir, sector)) ?? compileIntoCache(cacheDir, sector);

/**
 * Compiles the circuit of a sector size and stores it. `onFraction` hears how much of it is hashed, 0 … 1. Throws
 * CuzkError DISK_FULL before that takes its time, where the file will not fit.
 */
export async function compileIntoCache(
  cacheDir: string,
  sector: SectorShape,
  onFraction: (fraction: number) => void = () => {},
): Promise<CircuitShape> {
  const total = PINNED_CIRCUITS.get(sector.sectorBytes)?.constraints ?? Number.POSITIVE_INFINITY;
  const path = shapePath(cacheDir, sector);
  const checkpoints = {
    rows: CHECKPOINT_ROWS,
    onCheckpoint: (rows: number) => onFraction(Math.min(1, rows / total)),
  };
  const shape = compileStackedShape(sector, openBlake2s(), checkpoints, (template) =>
    requireDiskRoom(path, shapeFileBytes(template)),
  );
  await replaceFile(path, encodeShape(shape, sha256));
  return shape;
}

/**
 * The circuit from the cache folder; undefined where there is no whole file of this very circuit, with what is wrong
 * with it, section named, to `onDamaged`.
 */
export async function readCachedShape(
  cacheDir: string,
  sector: SectorShape,
  onDamaged: (message: string) => void = () => {},
): Promise<CircuitShape | undefined> {
  try {
    const bytes = await readFile(shapePath(cacheDir, sector));
    // A Buffer from the pool may start at any offset; the decoder wants words in place.
    const words = bytes.byteOffset % 4 === 0 ? bytes : Uint8Array.from(bytes);
    const shape = decodeShape(words, sha256);
    requirePinnedShape(sector, shape);
    return shape;
  } catch (error) {
    if (error instanceof CuzkError) onDamaged(`${error.message} It is compiled again.`);
    return undefined;
  }
}
