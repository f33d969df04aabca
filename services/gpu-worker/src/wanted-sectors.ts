import { CuzkError } from '@cuzk/core/errors';
import {
  findSectorByName,
  SECTOR_SHAPES,
  type SectorShape,
  sizeNames,
} from '@cuzk/core/porep/sector';

/** The sector sizes of SECTOR_SIZES, all where it names none. Throws CONFIG_INVALID for one that does not exist. */
export function wantedSectors({
  SECTOR_SIZES,
}: {
  readonly SECTOR_SIZES: string;
}): readonly SectorShape[] {
  const names = SECTOR_SIZES.split(',').filter((name) => name.trim() !== '');
  return names.length === 0 ? SECTOR_SHAPES : names.map(wantedSector);
}

function wantedSector(name: string): SectorShape {
  const found = findSectorByName(name);
  if (found !== undefined) return found;
  throw new CuzkError('CONFIG_INVALID', 'SECTOR_SIZES names a size that does not exist.', {
    expected: sizeNames(),
    found: `"${name.slice(0, 32)}"`,
  });
}
