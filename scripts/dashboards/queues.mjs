import { dashboard, lines, quantile, stat } from './panels.mjs';

export const queues = dashboard(
  'queues',
  'queues and permits',
  'What waits, how long, and for what',
  [
    stat('Partitions before dispatch', 'none', 'max(cuzk_partitions_pending)'),
    stat('Longest wait', 's', 'max(cuzk_queue_oldest_seconds)', { red: 1800 }),
    stat(
      'Hand-off pool used',
      'percentunit',
      'max(cuzk_permit_used_bytes{pool="handoff"}) / max(cuzk_permit_cap_bytes{pool="handoff"})',
      { description: 'Full while devices are the bottleneck: that is how synthesis is held back' },
    ),
    lines('Jobs', 'none', { '{{queue}} {{state}}': 'max by (queue, state) (cuzk_queue_jobs)' }),
    lines('Wait of the unit that waits longest', 's', {
      '{{stage}}': 'max by (stage) (cuzk_queue_oldest_seconds)',
    }),
    lines('Waits of units that were taken, 95th percentile', 's', {
      '{{stage}}': quantile(0.95, 'cuzk_stage_wait_seconds', ['stage']),
    }),
    lines('Partitions before dispatch', 'none', { pending: 'max(cuzk_partitions_pending)' }),
    lines(
      'Permits: bytes used and cap',
      'bytes',
      {
        '{{pool}} used': 'max by (pool) (cuzk_permit_used_bytes)',
        '{{pool}} cap': 'max by (pool) (cuzk_permit_cap_bytes)',
      },
      { description: 'handoff: witnesses between dispatch and device; host: memory of synthesis' },
    ),
    lines('Permits: requests', 'cpm', {
      '{{pool}} granted': 'sum by (pool) (rate(cuzk_permit_granted_total[5m])) * 60',
      '{{pool}} denied': 'sum by (pool) (rate(cuzk_permit_denied_total[5m])) * 60',
      '{{pool}} reaped': 'sum by (pool) (rate(cuzk_permit_reaped_total[5m])) * 60',
    }),
  ],
);
