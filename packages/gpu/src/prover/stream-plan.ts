import type { CurveGroup } from '../curve/point-segments.ts';

/** How a circuit is proved whose SRS does not fit the device. */
export interface StreamPlan {
  /** Points that come to the device at once, powers of two. */
  readonly piecePoints: Readonly<Record<CurveGroup, number>>;
  /** The first pieces of h, which stay there. */
  readonly residentPieces: number;
  /** Entries that the MSM of a piece of h sorts at once. */
  readonly msmEntries: number;
  /** Partitions whose witnesses are held, and for which the queries pass once. */
  readonly waiting: number;
}
