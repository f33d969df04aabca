import { decoderBytes } from '../curve/point-decode.ts';
import { type CurveGroup, POINT_BYTES, segmentPointsFor } from '../curve/point-segments.ts';
import { streamBytes } from '../curve/point-stream.ts';
import type { DeviceTraits } from '../device/context.ts';
import { type Pieces, piecesFor } from '../msm/sum-selected-size.ts';
import { msmBytes, selectedBytes } from '../prover/scratch-bytes.ts';
import type { Holding, PlannedCircuit } from './holding.ts';

type ByGroup = Readonly<Record<CurveGroup, number>>;

/** Sizes with which l, a, bG1 and bG2 pass once. */
export interface QueryPass {
  /** Points that come to the device at once, powers of two. */
  readonly piecePoints: ByGroup;
  /** Points of a tail in one buffer, powers of two. */
  readonly tailPoints: ByGroup;
  /** Entries that the MSM of a tail sorts at once. */
  readonly tailEntries: number;
}

/** Sizes with which queries pass beside h, whose MSM sorts `msmEntries` at once meanwhile. */
export type BesideH = Pick<Holding, 'piecePoints' | 'msmEntries'>;

/** With nothing beside it. */
export const passAlone = (
  traits: DeviceTraits,
  { piecePoints, msmEntries }: Pick<Holding, 'piecePoints' | 'msmEntries'>,
): QueryPass => ({
  piecePoints,
  tailPoints: { g1: segmentPointsFor(traits, 'g1'), g2: segmentPointsFor(traits, 'g2') },
  // it runs beside other sums
  tailEntries: Math.min(msmEntries, 2 ** 22),
});

/** In as little memory as may be. */
export const passBeside = ({ piecePoints, msmEntries }: BesideH): QueryPass => ({
  piecePoints,
  tailPoints: piecePoints,
  tailEntries: Math.min(msmEntries, 2 ** 19),
});

/** Late rounds of pieces are mostly latency, so some are had at once. */
const KEPT = 4;

/**
 * How points of a passing piece are summed, for all witnesses together. Some half of them are picked: a little more are
 * summed at once, as every range has late rounds of its own. What ranges leave takes a few hundredths of the memory.
 */
export const streamPieces = (traits: DeviceTraits, piecePoints: number): Pieces =>
  traits.software
    ? { ...piecesFor(traits), kept: KEPT }
    : {
        chunkWords: 2 ** 22,
        references: Math.ceil((piecePoints * 5) / 8),
        leftOver: Math.ceil(piecePoints / 128),
        late: 2 ** 15,
        kept: KEPT,
      };

/** Two pieces, one in use and one on its way, and what turns a file into points. */
export const passingBytes = (
  traits: DeviceTraits,
  group: CurveGroup,
  piecePoints: ByGroup,
): number => streamBytes(group, piecePoints[group]) + decoderBytes(traits);

/**
 * Most memory while queries pass, for so many witnesses: the tail of one is summed while the next one passes. Bytes.
 */
export function queryPassBytes(
  { shape, traits, memory: { tailCount } }: PlannedCircuit,
  { piecePoints, tailPoints, tailEntries }: QueryPass,
  witnesses: number,
): number {
  const passes = (group: CurveGroup): number => {
    const points = piecePoints[group];
    const size = { sums: witnesses, points, bits: shape.aux };
    return (
      passingBytes(traits, group, piecePoints) +
      selectedBytes(traits, group, size, streamPieces(traits, points)) +
      tailCount * POINT_BYTES[group]
    );
  };
  const tail = (group: CurveGroup): number =>
    tailCount * POINT_BYTES[group] +
    msmBytes(tailCount, 1, group, traits, tailEntries, tailPoints[group]);
  return Math.max(passes('g2'), passes('g1') + Math.max(tail('g1'), tail('g2')));
}
