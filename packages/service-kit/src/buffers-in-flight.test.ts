import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BuffersInFlight, type HeldBuffer } from './buffers-in-flight.ts';
import { createMetrics } from './metrics.ts';

const open = () => {
  const metrics = createMetrics('test', 'test');
  return { metrics, buffers: new BuffersInFlight(metrics) };
};

describe('buffers in flight', () => {
  it('count by class and stage, in metrics too, with zeros for what is over', async () => {
    const { metrics, buffers } = open();
    const first = buffers.hold('witness', 'synthesize', 0);
    buffers.hold('witness', 'synthesize', 5);
    const other = buffers.hold('partition_input', 'ingest', 7);
    first.resize(70);
    other.release();
    expect(buffers.read()).toEqual([
      { class: 'witness', stage: 'synthesize', buffers: 2, bytes: 75 },
      { class: 'partition_input', stage: 'ingest', buffers: 0, bytes: 0 },
    ]);
    const text = await metrics.text();
    expect(text).toContain('cuzk_buffers_in_flight{class="witness",stage="synthesize"} 2');
    expect(text).toContain('cuzk_buffers_in_flight_bytes{class="witness",stage="synthesize"} 75');
    expect(text).toContain('cuzk_buffers_in_flight{class="partition_input",stage="ingest"} 0');
    expect(text).toContain('# TYPE cuzk_buffers_in_flight gauge');
  });

  it('never go below zero and end at zero, whatever is released, resized and repeated', () => {
    const step = fc.record({
      action: fc.constantFrom('hold' as const, 'release' as const, 'resize' as const),
      which: fc.nat(20),
      bytes: fc.nat(1000),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
        const { buffers } = open();
        const ever: HeldBuffer[] = [];
        const held = new Map<number, number>();
        const actions = {
          hold: (_at: number, bytes: number) => {
            held.set(ever.length, bytes);
            ever.push(buffers.hold('witness', 'prove', bytes));
          },
          release: (at: number) => {
            ever[at]?.release();
            held.delete(at);
          },
          resize: (at: number, bytes: number) => {
            ever[at]?.resize(bytes);
            if (held.has(at)) held.set(at, bytes);
          },
        };
        for (const { action, which, bytes } of steps) {
          actions[action](which % Math.max(1, ever.length), bytes);
          const total = [...held.values()].reduce((sum, size) => sum + size, 0);
          const [read = { buffers: 0, bytes: 0 }] = buffers.read();
          expect([read.buffers, read.bytes]).toEqual([held.size, total]);
        }
        for (const buffer of [...ever, ...ever]) buffer.release();
        expect(buffers.read().every((entry) => entry.buffers === 0 && entry.bytes === 0)).toBe(
          true,
        );
      }),
      { seed: 7, numRuns: 100 },
    );
  });

  it('refuse sizes that are none', () => {
    const { buffers } = open();
    expect(() => buffers.hold('witness', 'prove', -1)).toThrow(RangeError);
    expect(() => buffers.hold('witness', 'prove', 1).resize(Number.NaN)).toThrow(RangeError);
  });
});
