import { dashboard, lines, stat } from './panels.mjs';

export const memory = dashboard(
  'memory',
  'memory',
  'Who holds memory: by process, by buffer, on the device',
  [
    stat('Memory of all processes', 'bytes', 'sum(cuzk_memory_proportional_bytes)'),
    stat('Swapped', 'bytes', 'sum(cuzk_memory_swap_bytes)', { red: 1 }),
    stat('Buffers in flight', 'none', 'sum(cuzk_buffers_in_flight)'),
    stat(
      'Buffers held while nothing runs',
      'none',
      'sum((sum by (instance) (cuzk_buffers_in_flight)) and (sum by (instance) (cuzk_stage_units_running) == 0)) or vector(0)',
      { description: 'Anything but zero for minutes is a leak', red: 1 },
    ),
    lines(
      'Proportional memory by process',
      'bytes',
      { '{{instance}} {{process}}': 'sum by (instance, process) (cuzk_memory_proportional_bytes)' },
      { width: 12, stack: true },
    ),
    lines(
      'Resident memory by process',
      'bytes',
      { '{{instance}} {{process}}': 'sum by (instance, process) (cuzk_memory_resident_bytes)' },
      { width: 12 },
    ),
    lines(
      'Buffers in flight by class and stage',
      'none',
      { '{{class}} {{stage}}': 'sum by (class, stage) (cuzk_buffers_in_flight)' },
      {
        width: 12,
        description: 'The counters that found a leak in cuzk: each must return to zero',
      },
    ),
    lines(
      'Bytes in flight by class and stage',
      'bytes',
      { '{{class}} {{stage}}': 'sum by (class, stage) (cuzk_buffers_in_flight_bytes)' },
      { width: 12, stack: true },
    ),
    lines('On the devices by class', 'bytes', {
      '{{class}}': 'sum by (class) (cuzk_gpu_memory_bytes)',
    }),
    lines('Swapped by process', 'bytes', {
      '{{instance}} {{process}}': 'sum by (instance, process) (cuzk_memory_swap_bytes)',
    }),
    lines('Memory leased for synthesis', 'bytes', {
      '{{pool}}': 'max by (pool) (cuzk_permit_used_bytes{pool=~"host:.*"})',
    }),
  ],
);
