/** Points of one segment that are sorted and summed at once. */
export interface PointPart {
  readonly segment: number;
  /** First point, in the segment and in all. */
  readonly start: number;
  readonly first: number;
  readonly count: number;
}

/** A binding starts at a multiple of 256 bytes, and a point takes 96 or 192. */
const PART_STEP = 8;

/**
 * Ends of the parts of the first segment where scalars are on their way: each part takes as long to sum as the next
 * one, half as large again, to upload. An H200 sums what belongs to a scalar in 6.5 ns, and its host copies one in 4 to
 * 5.
 */
const ARRIVING_ENDS = [4 / 19, 10 / 19, 1];
const AT_ONCE = [1];

/**
 * All points, segment by segment: the first one in parts of `leastPoints` or more, so that sums can begin before all
 * scalars are there, or whole where it is smaller. `leastPoints` is infinite where no scalars are on their way.
 */
export function cutPoints(count: number, segmentPoints: number, leastPoints: number): PointPart[] {
  const parts: PointPart[] = [];
  for (let segment = 0; segment * segmentPoints < count; segment++) {
    const before = segment * segmentPoints;
    const points = Math.min(segmentPoints, count - before);
    let start = 0;
    for (const share of segment === 0 ? ARRIVING_ENDS : AT_ONCE) {
      const end = Math.min(points, PART_STEP * Math.ceil((points * share) / PART_STEP));
      if (end < points && end - start < leastPoints) continue;
      if (end > start) parts.push({ segment, start, first: before + start, count: end - start });
      start = end;
    }
  }
  return parts;
}
