import { expect, it } from 'vitest';
import { barText, progressBar } from './progress-bar.ts';

it('draws the part that is done', () => {
  expect(barText(0)).toBe(`[${'-'.repeat(30)}]   0 %`);
  expect(barText(0.5)).toBe(`[${'#'.repeat(15)}${'-'.repeat(15)}]  50 %`);
  expect(barText(1)).toBe(`[${'#'.repeat(30)}] 100 %`);
});

it('prints the first and the last step, and not every one in between', () => {
  const lines: string[] = [];
  const output = {
    json: false,
    progress: (line: string) => lines.push(line),
    result: () => {},
    failure: () => {},
  };
  const show = progressBar(output, 'points');
  for (let done = 1; done <= 1000; done++) show(done, 1000);
  expect(lines).toHaveLength(2);
  expect(lines.at(-1)).toMatch(/^points \[#+\] 100 % \d+ s$/);
});
