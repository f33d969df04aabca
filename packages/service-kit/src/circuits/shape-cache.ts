import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { circuitId } from '@cuzk/core/porep/circuit-id';
import { compileStackedShape, requirePinnedShape } from '@cuzk/core/porep/circuit-shape';
import type { SectorShape } from '@cuzk/core/porep/sector';
import type { CircuitShape } from '@cuzk/core/r1cs/shape';
import { decodeShape, encodeShape } from '@cuzk/core/r1cs/shape-file';
import { openBlake2s, sha256 } from './node-hashes.ts';
import { replaceFile } from './replace-file.ts';

/** Where the compiled shape of a circuit is kept below the cache folder. */
export const shapePath = (cacheDir: string, sector: SectorShape): string =>
  join(cacheDir, 'shapes', `${sector.name}-${circuitId(sector)}.shape`);

/**
 * The compiled circuit of a sector size: from the cache folder where a whole file is there, else compiled, checked
 * against its pinned digest and stored. A damaged file is compiled anew.
 */
export async function loadShape(cacheDir: string, sector: SectorShape): Promise<CircuitShape> {
  const path = shapePath(cacheDir, sector);
  const cached = await readCached(path);
  if (cached !== undefined) {
    requirePinnedShape(sector, cached);
    return cached;
  }
  const shape = compileStackedShape(sector, openBlake2s());
  await replaceFile(path, encodeShape(shape, sha256));
  return shape;
}

async function readCached(path: string): Promise<CircuitShape | undefined> {
  try {
    const bytes = await readFile(path);
    // A Buffer from the pool may start at any offset; the decoder wants words in place.
    return decodeShape(bytes.byteOffset % 4 === 0 ? bytes : Uint8Array.from(bytes), sha256);
  } catch {
    return undefined;
  }
}
