import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { parseSectorSize, sectorShape } from '@cuzk/core/porep/sector';
import { developmentParams } from '@cuzk/service-kit/circuits/params-folder';

/** The cache folder of the user, where real parameters and compiled circuits are. */
export const CACHE = process.env.CUZK_CACHE_DIR ?? join(homedir(), '.cache', 'cuzk');

/**
 * Why a test that proves real 2 KiB partitions cannot run here and now, or null; prints it. `takes`: what and how long.
 */
export function whyNoRealProof(takes: string): string | null {
  const folder = { developmentDir: join(CACHE, 'params') };
  const { paramsPath } = developmentParams(folder, sectorShape(parseSectorSize('2KiB')));
  const missing = existsSync(paramsPath)
    ? null
    : `no ${paramsPath}: cuzk params make --sector 2KiB`;
  const why = process.env.SLOW === '1' ? missing : `${takes}: SLOW=1`;
  if (why) console.log(`skipped: ${why}`);
  return why;
}
