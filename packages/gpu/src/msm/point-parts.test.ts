import { expect, it } from 'vitest';
import { cutPoints } from './point-parts.ts';

const cut = (count: number, segmentPoints: number, leastPoints: number) =>
  cutPoints(count, segmentPoints, leastPoints).map(({ segment, start, first, count: points }) => [
    segment,
    start,
    first,
    points,
  ]);

it('cuts the first segment alone, as far as parts are large enough', () => {
  expect(cut(1900, 2048, 100)).toEqual([
    [0, 0, 0, 400],
    [0, 400, 400, 600],
    [0, 1000, 1000, 900],
  ]);
  expect(cut(1900, 2048, 500)).toEqual([
    [0, 0, 0, 1000],
    [0, 1000, 1000, 900],
  ]);
  expect(cut(1900, 2048, 1001)).toEqual([[0, 0, 0, 1900]]);
  expect(cut(1200, 512, 200)).toEqual([
    [0, 0, 0, 272],
    [0, 272, 272, 240],
    [1, 0, 512, 512],
    [2, 0, 1024, 176],
  ]);
});

it('leaves segments whole where no scalars are on their way, and takes no points in no parts', () => {
  expect(cut(1200, 512, Number.POSITIVE_INFINITY)).toEqual([
    [0, 0, 0, 512],
    [1, 0, 512, 512],
    [2, 0, 1024, 176],
  ]);
  expect(cut(0, 512, 1)).toEqual([]);
});
