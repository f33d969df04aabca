import { expect, it } from 'vitest';
import type { WorkerView } from '../../src/status/status-types.ts';
import { columnsOf, withSample } from './memory-columns.ts';

const worker = (
  name: string,
  resident: number | null,
  device: number | null = null,
): WorkerView => ({
  ...{ name, role: 'gpu-worker', node: 'n', ready: true, silent: false, status: '', holds: 0 },
  slots: null,
  resident_bytes: resident,
  device_bytes: device,
});

it('goes on where the history of the API ends', () => {
  const history = columnsOf({
    interval_secs: 5,
    times: [100, 105],
    series: [{ worker: 'a', role: 'api', kind: 'resident', bytes: [1, 2] }],
  });
  const next = withSample(history, [worker('a', 3), worker('b', 7, 9)], 110);
  expect(next).toEqual({
    times: [100, 105, 110],
    lines: [
      { name: 'a', bytes: [1, 2, 3] },
      { name: 'b', bytes: [null, null, 7] },
      { name: 'b device', bytes: [null, null, 9] },
    ],
  });
});

it('takes no sample before its time', () => {
  const columns = { times: [100], lines: [{ name: 'a', bytes: [1] }] };
  expect(withSample(columns, [worker('a', 2)], 104.9)).toBe(columns);
});

it('keeps half an hour, and forgets who was not heard of in it', () => {
  let columns = withSample({ times: [], lines: [] }, [worker('gone', 1)], 0);
  for (let time = 5; time <= 1_900; time += 5)
    columns = withSample(columns, [worker('a', 1)], time);
  expect(columns.times[0]).toBe(100);
  expect(columns.lines.map(({ name }) => name)).toEqual(['a']);
  expect(columns.lines[0]?.bytes).toHaveLength(columns.times.length);
});
