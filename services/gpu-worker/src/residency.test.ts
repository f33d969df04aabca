import { describe, expect, it } from 'vitest';
import { EVICTION_IDLE_MS, findRoom, type LoadedCircuit } from './residency.ts';

const budget = (bytes: number) => ({ bytes, source: 'test' });
/** Needs 15 whole, or 8 to stream, of which 4 stay and more where there is more. */
const wanted = {
  name: '32GiB',
  memory: { residentBytes: 10, provingBytes: 15 },
  leastBytes: 8,
  stream: (bytes: number) =>
    bytes < 8
      ? undefined
      : { plan: { bytes }, memory: { residentBytes: bytes - 4, provingBytes: bytes } },
};
const loaded = (sectorBytes: number, more: Partial<LoadedCircuit> = {}): LoadedCircuit => ({
  sectorBytes,
  memory: { residentBytes: 20, provingBytes: 22 },
  users: 0,
  idleMs: 0,
  ...more,
});
const idle = EVICTION_IDLE_MS;

describe('room for a circuit', () => {
  it('is taken whole in exactly what it needs, streamed in one byte less, refused below the least', () => {
    expect(findRoom(wanted, [], budget(15))).toMatchObject({ evict: [], plan: null });
    expect(findRoom(wanted, [], budget(14))).toMatchObject({ evict: [], plan: { bytes: 14 } });
    expect(findRoom(wanted, [], budget(8))).toMatchObject({ plan: { bytes: 8 } });
    expect(() => findRoom(wanted, [], budget(7))).toThrow(
      /GPU_OUT_OF_MEMORY.*32GiB needs 8 bytes of device memory, and there are 7/,
    );
  });

  it('counts what stays of all, and the largest proof', () => {
    const beside = [loaded(1, { memory: { residentBytes: 20, provingBytes: 50 } })];
    expect(findRoom(wanted, beside, budget(60))).toMatchObject({ plan: null });
    expect(() => findRoom(wanted, beside, budget(53))).toThrow(/beside 1 loaded/);
  });

  it('is made by evicting what is idle, longest first, and no more than it takes', () => {
    const circuits = [
      loaded(1, { idleMs: idle }),
      loaded(2, { idleMs: 3 * idle }),
      loaded(3, { idleMs: 2 * idle }),
    ];
    expect(findRoom(wanted, circuits, budget(75)).evict).toEqual([]);
    expect(findRoom(wanted, circuits, budget(74))).toMatchObject({ evict: [2], plan: null });
    expect(findRoom(wanted, circuits, budget(54))).toMatchObject({ evict: [2, 3], plan: null });
    expect(findRoom(wanted, circuits, budget(20))).toMatchObject({ evict: [2, 3, 1], plan: null });
    expect(findRoom(wanted, circuits, budget(9))).toMatchObject({ plan: { bytes: 9 } });
  });

  it('never comes from a circuit in use, nor from one that was used a moment ago', () => {
    const used = [loaded(1, { idleMs: 9 * idle, users: 1 }), loaded(2, { idleMs: idle - 1 })];
    expect(findRoom(wanted, used, budget(50))).toMatchObject({ evict: [], plan: { bytes: 10 } });
    expect(() => findRoom(wanted, used, budget(47))).toThrow(/GPU_OUT_OF_MEMORY/);
  });

  it('is there where nothing is known of the device', () => {
    expect(findRoom(wanted, [], null)).toMatchObject({ evict: [], plan: null });
  });
});
