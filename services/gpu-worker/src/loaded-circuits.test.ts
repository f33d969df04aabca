import { expect, it } from 'vitest';
import { type LoadedCircuit, LoadedCircuits } from './loaded-circuits.ts';

const [small, large] = [2 ** 11, 2 ** 23];
const circuit = (circuitId: string): LoadedCircuit => ({
  circuitId,
  location: { kind: 'insecure-development' } as LoadedCircuit['location'],
  plan: null,
});

it('what was evicted stays away until it is wanted again, also over a new process', () => {
  const loaded = new LoadedCircuits();
  loaded.add(small, circuit('a'));
  loaded.add(large, circuit('b'));
  loaded.evict(small);
  expect(loaded.ids()).toEqual(['b']);
  loaded.clear();
  expect([small, large].map((sectorBytes) => loaded.isToLoad(sectorBytes))).toEqual([false, true]);
  loaded.wantAgain(small);
  expect(loaded.isToLoad(small)).toBe(true);
});

it('what a failed load pushed out is to be loaded again', () => {
  const loaded = new LoadedCircuits();
  loaded.add(small, circuit('a'));
  loaded.add(large, circuit('b'));
  expect(loaded.keepOnly(new Set([small, large]))).toBe(false);
  expect(loaded.keepOnly(new Set([large]))).toBe(true);
  expect(loaded.first()).toMatchObject({ circuitId: 'b' });
  expect(loaded.isToLoad(small)).toBe(true);
  expect(() => loaded.get(small)).toThrow(RangeError);
});
