import type { SectorShape } from '@cuzk/core/porep/sector';
import type { CircuitShape } from '@cuzk/core/r1cs/shape';
import { loadShape, readCachedShape } from '../circuits/shape-cache.ts';
import { ThreadPool } from './thread-pool.ts';

export interface ShapeTask {
  readonly cacheDir: string;
  readonly sectorBytes: number;
}

const NEWS_MS = 1_000;

/**
 * As loadShape, for a loop that must not stand still: a circuit that is not in the cache folder is compiled on a
 * thread, which takes minutes for the largest sizes. `onFraction` hears every second how much of that is done, 0 … 1;
 * `onDamaged` what is wrong with a file that is not used.
 */
export async function loadShapeApart(
  cacheDir: string,
  sector: SectorShape,
  onFraction: (fraction: number) => void,
  onDamaged?: (message: string) => void,
): Promise<CircuitShape> {
  const cached = await readCachedShape(cacheDir, sector, onDamaged);
  if (cached !== undefined) return cached;
  const entry = new URL('../../dist/threads/shape-thread.js', import.meta.url);
  const thread = new ThreadPool<ShapeTask, number, null>(entry, 1);
  let fraction = 0;
  const news = setInterval(() => onFraction(fraction), NEWS_MS);
  try {
    await thread.run(
      { cacheDir, sectorBytes: sector.sectorBytes },
      {
        onPart: (part) => {
          fraction = part;
        },
      },
    );
  } finally {
    clearInterval(news);
    await thread.close();
  }
  return loadShape(cacheDir, sector);
}
