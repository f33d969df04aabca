import { expect, it } from 'vitest';
import { deadlineOf } from './deadline.ts';

it('a deadline is a time in the future, in any zone, a leap second too', () => {
  expect(deadlineOf(undefined)).toBeNull();
  expect(deadlineOf('2100-01-01T02:00:00+02:00')).toBe(Date.UTC(2100, 0, 1));
  expect(deadlineOf('2100-12-31T23:59:60Z')).toBe(Date.UTC(2100, 11, 31, 23, 59, 59));
  expect(deadlineOf('2100-12-31T23:59:60.5+00:00')).toBe(Date.UTC(2100, 11, 31, 23, 59, 59, 500));
  expect(() => deadlineOf('2016-12-31T23:59:60Z')).toThrow('the deadline has passed');
});
