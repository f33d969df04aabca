import { dashboard, lines, quantile, stat } from './panels.mjs';

export const fleet = dashboard('fleet', 'fleet', 'What the service does, and who does it', [
  stat('Proofs under way', 'none', 'max(cuzk_proofs_live)'),
  stat('GPU workers ready', 'none', 'max(cuzk_workers{role="gpu-worker",state="ready"})', {
    description: 'Silent ones and those without parameters are not counted',
  }),
  stat('Synthesis workers ready', 'none', 'max(cuzk_workers{role="synth-worker",state="ready"})'),
  stat('Failed runs, 1 h', 'none', 'sum(increase(cuzk_proofs_ended_total{state="failed"}[1h]))', {
    red: 1,
  }),
  stat(
    'Proofs that did not verify, 1 h',
    'none',
    'sum(increase(cuzk_self_check_failures_total[1h]))',
    {
      description: 'Made by us and caught by the verifier before anybody saw them',
      red: 1,
    },
  ),
  stat(
    'Work taken from silent workers, 1 h',
    'none',
    'sum(increase(cuzk_units_requeued_total[1h]))',
    {
      red: 5,
    },
  ),
  lines('Runs that ended', 'cpm', {
    '{{state}}': 'sum by (state) (rate(cuzk_proofs_ended_total[5m])) * 60',
  }),
  lines('Stages, 95th percentile', 's', {
    '{{stage}}': quantile(0.95, 'cuzk_stage_duration_seconds', ['stage']),
  }),
  lines('Units being worked on', 'none', {
    '{{stage}}': 'sum by (stage) (cuzk_stage_units_running)',
  }),
  lines(
    'Workers',
    'none',
    { '{{role}} {{state}}': 'max by (role, state) (cuzk_workers)' },
    { description: 'ready, not_ready (loading, no parameters), silent (not heard of)' },
  ),
  lines(
    'Workers asked for',
    'none',
    {
      '{{role}} asked for': 'max by (role) (cuzk_autoscale_workers)',
      '{{role}} ready': 'max by (role) (cuzk_workers{state="ready",role!="api"})',
    },
    { description: 'The signal that autoscalers follow: every proof done within the horizon' },
  ),
  lines('Failed attempts by code', 'cpm', {
    '{{stage}} {{code}}': 'sum by (stage, code) (rate(cuzk_failures_total[5m])) * 60',
  }),
  lines('HTTP, 95th percentile', 's', {
    '{{method}} {{route}}': quantile(0.95, 'cuzk_http_request_duration_seconds', [
      'method',
      'route',
    ]),
  }),
  lines('HTTP answers', 'reqps', {
    '{{status}}': 'sum by (status) (rate(cuzk_http_request_duration_seconds_count[5m]))',
  }),
  lines(
    'Event loops, longest delay',
    's',
    { '{{instance}}': 'max by (instance) (cuzk_event_loop_delay_seconds)' },
    { description: 'Above a second something computes where it should not' },
  ),
  lines('Spans and metric exports lost', 'cpm', {
    '{{signal}}': 'sum by (signal) (rate(cuzk_telemetry_lost_total[5m])) * 60',
  }),
  lines('Jobs refused', 'cpm', {
    '{{stage}} {{reason}}': 'sum by (stage, reason) (rate(cuzk_units_refused_total[5m])) * 60',
  }),
  lines('Work taken from silent workers', 'cpm', {
    '{{stage}}': 'sum by (stage) (rate(cuzk_units_requeued_total[5m])) * 60',
  }),
]);
