import { maxArenaPoints } from '../curve/pair-tree.ts';
import { type CurveGroup, POINT_BYTES } from '../curve/point-segments.ts';
import type { DeviceTraits } from '../device/context.ts';
import {
  bucketsInRun,
  MAX_WINDOWS,
  MIN_WINDOWS,
  type WindowShape,
  windowShape,
} from './msm-plan.ts';

/** Windows of the table and scalars that are multiplied at once. */
export interface FixedBasePlan {
  readonly shape: WindowShape;
  /** Entries of all windows; one more row holds infinity. */
  readonly tableRows: number;
  readonly chunk: number;
}

/** More scalars at once gain nothing. */
const MAX_CHUNK = 2 ** 20;

/**
 * Chooses the table for about `count` scalars: the fewest additions, table included, among the tables that fit one
 * binding.
 */
export function planFixedBase(
  count: number,
  traits: DeviceTraits,
  group: CurveGroup,
): FixedBasePlan {
  const maxRows = Math.floor(traits.maxBindingBytes / POINT_BYTES[group]);
  let best: { shape: WindowShape; rows: number; additions: number } | undefined;
  for (let windows = MIN_WINDOWS; windows <= MAX_WINDOWS; windows++) {
    const shape = windowShape(windows);
    const rows = bucketsInRun(shape, { first: 0, count: windows });
    const additions = rows + count * (windows - 1);
    if (rows + 1 > maxRows) continue;
    if (best === undefined || additions < best.additions) best = { shape, rows, additions };
  }
  if (best === undefined) throw new RangeError('fixed base: no table fits a binding');
  const { shape, rows } = best;
  const fits = Math.floor(maxArenaPoints(traits, group) / (shape.windows - 1));
  const chunk = Math.min(MAX_CHUNK, fits, Math.max(count, 1));
  return { shape, tableRows: rows, chunk };
}
