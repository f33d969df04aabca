import fc from 'fast-check';
import { expect, it } from 'vitest';
import { applyChange, changeBetween } from './status-change.ts';
import type { StatusView } from './status-types.ts';

/** Views whose sections are as different as is of interest here; the rest of their members plays no part. */
const views = fc.record({
  uptime_secs: fc.constant(0),
  time: fc.constant(''),
  pipelines: fc.uniqueArray(
    fc.record({ job_id: fc.constantFrom('a', 'b', 'c', 'd'), run: fc.nat(2) }),
    {
      selector: ({ job_id }) => job_id,
    },
  ),
  service: fc.record({ ready: fc.boolean() }),
  memory: fc.record({ used_bytes: fc.nat(2) }),
  synthesis: fc.record({ active: fc.nat(2) }),
  gpu_workers: fc.array(fc.record({ worker_id: fc.nat(2) }), { maxLength: 2 }),
  allocations: fc.constant({ srs: [], pce: [] }),
  counters: fc.record({ live: fc.nat(2) }),
  buffers: fc.record({ aux_in_flight: fc.nat(1) }),
  workers: fc.array(fc.record({ name: fc.constantFrom('x', 'y') }), { maxLength: 2 }),
  queues: fc.constant([]),
  permits: fc.constant([]),
}) as unknown as fc.Arbitrary<StatusView>;

it('changes lead a reader from any status to any other', () => {
  fc.assert(
    fc.property(views, fc.array(views, { minLength: 1, maxLength: 6 }), (first, later) => {
      let told = first;
      let before = first;
      for (const after of later) {
        const change = changeBetween(before, after, after);
        if (change !== null) told = applyChange(told, JSON.parse(JSON.stringify(change)));
        before = after;
      }
      expect(told).toEqual(before);
    }),
  );
});

it('nothing is told when nothing changed', () => {
  fc.assert(
    fc.property(views, (view) => {
      expect(changeBetween(view, view, view)).toBeNull();
    }),
  );
});

it('only what changed is told, as it is when it is sent', () => {
  fc.assert(
    fc.property(views, fc.nat(2), (before, used) => {
      fc.pre(before.memory.used_bytes !== used);
      const after = { ...before, memory: { ...before.memory, used_bytes: used } };
      const shown = { ...after, memory: { ...after.memory, total_bytes: 99 } };
      expect(changeBetween(before, after, shown)).toEqual({ memory: shown.memory });
    }),
  );
});
