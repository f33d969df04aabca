import { sectorShape } from '@cuzk/core/porep/sector';
import { compileIntoCache } from '../circuits/shape-cache.ts';
import type { ShapeTask } from './load-shape-apart.ts';
import { serveThread } from './serve-thread.ts';

/** Compiles a circuit into the cache folder; the parts are how much of it is done, 0 … 1. */
serveThread<ShapeTask, number, null>(async ({ cacheDir, sectorBytes }, { checkpoint, emit }) => {
  await compileIntoCache(cacheDir, sectorShape(sectorBytes), (fraction) => {
    checkpoint();
    emit(fraction);
  });
  return { answer: null };
});
