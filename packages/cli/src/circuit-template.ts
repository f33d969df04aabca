import { existsSync } from 'node:fs';
import type { SectorShape } from '@cuzk/core/porep/sector';
import { stackedCircuit } from '@cuzk/core/porep/stacked-circuit';
import { compileTemplate, type UndigestedShape } from '@cuzk/core/r1cs/compile-shape';
import { loadShape, shapePath } from '@cuzk/service-kit/circuits/shape-cache';

/**
 * The circuit of a sector size for whoever needs its counts only: from the cache folder where it is there, else
 * compiled without the hash over all rows, which takes minutes for the largest sizes, and not stored.
 */
export async function circuitTemplate(
  cacheDir: string,
  sector: SectorShape,
): Promise<UndigestedShape> {
  if (existsSync(shapePath(cacheDir, sector))) return loadShape(cacheDir, sector);
  return compileTemplate(stackedCircuit(sector));
}
