import {
  parseSectorSize,
  SECTOR_SHAPES,
  type SectorShape,
  sectorShape,
} from '@cuzk/core/porep/sector';

/** The sector sizes of SECTOR_SIZES, all where it names none. Throws RangeError for one that does not exist. */
export function wantedSectors({
  SECTOR_SIZES,
}: {
  readonly SECTOR_SIZES: string;
}): readonly SectorShape[] {
  const names = SECTOR_SIZES.split(',').filter((name) => name.trim() !== '');
  return names.length === 0
    ? SECTOR_SHAPES
    : names.map((name) => sectorShape(parseSectorSize(name)));
}
