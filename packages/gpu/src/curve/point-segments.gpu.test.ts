import { expect, it } from 'vitest';
import { generatorMultiples } from '../testing/curve-points.ts';
import { openTestDevice } from '../testing/software-device.ts';
import { allocatePoints, readPoints, writePoints } from './point-segments.ts';

it('points of several segments are read in order; a lost device is told once, whatever else was asked for', async () => {
  const { context, close } = await openTestDevice();
  const points = generatorMultiples('g1', 3);
  const onDevice = allocatePoints(context, 'g1', 3, 'points', { segmentPoints: 1 });
  writePoints(context, onDevice, 0, points);
  expect(await readPoints(context, onDevice, 1, 2)).toEqual(points.slice(1));
  close();
  // reads that nobody waits for would end the process as unhandled rejections
  await expect(readPoints(context, onDevice, 0, 3)).rejects.toThrow();
});
