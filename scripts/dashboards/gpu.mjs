import { dashboard, lines, quantile, stat } from './panels.mjs';

export const gpu = dashboard('gpu', 'devices', 'What the devices do and hold', [
  stat('Devices busy', 'percentunit', 'avg(rate(cuzk_gpu_busy_seconds_total[5m]))', {
    description: 'Share of the time in which a partition is being proved, over all devices',
  }),
  stat('Device restarts, 1 h', 'none', 'sum(increase(cuzk_gpu_restarts_total[1h]))', { red: 1 }),
  stat(
    'Devices with parameters',
    'none',
    'count(max by (instance) (cuzk_srs_state{state="loaded"}) == 1)',
  ),
  lines(
    'Busy share',
    'percentunit',
    {
      '{{instance}} {{adapter}}':
        'sum by (instance, adapter) (rate(cuzk_gpu_busy_seconds_total[5m]))',
    },
    { width: 12 },
  ),
  lines(
    'Phases on the device, 95th percentile',
    's',
    {
      '{{phase}} ({{clock}})': quantile(0.95, 'cuzk_phase_duration_seconds', [
        'phase',
        'clock',
      ]).replace('_bucket[', '_bucket{phase=~"cuzk[.]gpu.*"}['),
    },
    { width: 12 },
  ),
  lines(
    'Memory on the device by class',
    'bytes',
    { '{{instance}} {{class}}': 'sum by (instance, class) (cuzk_gpu_memory_bytes)' },
    { width: 12, stack: true, description: 'idle: kept for reuse; srs: the parameters' },
  ),
  lines(
    'Submits',
    'ops',
    { '{{instance}} {{adapter}}': 'sum by (instance, adapter) (rate(cuzk_gpu_submits_total[5m]))' },
    { width: 12 },
  ),
  lines('Parameters', 'none', {
    '{{instance}} {{sector}} {{state}}': 'max by (instance, sector, state) (cuzk_srs_state) == 1',
  }),
  lines('Failed attempts of proving', 'cpm', {
    '{{code}}': 'sum by (code) (rate(cuzk_failures_total{stage="prove"}[5m])) * 60',
  }),
  lines('Device restarts', 'cpm', {
    '{{instance}}': 'sum by (instance) (rate(cuzk_gpu_restarts_total[5m])) * 60',
  }),
]);
