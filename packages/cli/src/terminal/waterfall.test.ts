import { expect, it } from 'vitest';
import { waterfallLines } from './waterfall.ts';

it('puts each span where it happened on one axis', () => {
  const [first, second] = waterfallLines([
    { name: 'synthesize', startSeconds: 0, seconds: 10 },
    { name: 'prove', startSeconds: 10, seconds: 30 },
  ]);
  expect(first).toBe(`synthesize    10.00 s  ${'█'.repeat(10)}`);
  expect(second).toBe(`prove         30.00 s  ${' '.repeat(10)}${'█'.repeat(30)}`);
});

it('shows a mark for a span that is too short for one, also at the end of the axis', () => {
  const lines = waterfallLines([
    { name: 'long', startSeconds: 0, seconds: 100 },
    { name: 'short', startSeconds: 100, seconds: 0 },
  ]);
  expect(lines[1]).toMatch(/█$/);
  expect(lines[1]?.length).toBe(lines[0]?.length);
});

it('has no line without a span', () => {
  expect(waterfallLines([])).toEqual([]);
});
