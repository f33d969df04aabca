import { dashboard, lines, quantile, traces } from './panels.mjs';

const average = (metric, by, matcher = '') =>
  `sum by (${by.join(', ')}) (rate(${metric}_sum${matcher}[5m])) / sum by (${by.join(', ')}) (rate(${metric}_count${matcher}[5m]))`;

export const proof = dashboard(
  'proof',
  'proofs',
  'Where the time of a proof goes. The id at the top chooses one.',
  [
    traces('Traces of the proof named above', '{ span.cuzk.proof = "$proof" }', {
      description: 'Every request, stage, wait and device phase of one proof is one trace',
    }),
    traces(
      'Proofs taken in',
      '{ name = "cuzk.accepted" } | select(span.cuzk.proof, span.cuzk.joined)',
      {
        width: 12,
      },
    ),
    traces(
      'Attempts that failed',
      '{ status = error } | select(span.cuzk.proof, span.error.type)',
      {
        width: 12,
      },
    ),
    lines('Stages, median', 's', {
      '{{stage}}': quantile(0.5, 'cuzk_stage_duration_seconds', ['stage']),
    }),
    lines('Stages, 95th percentile, by outcome', 's', {
      '{{stage}} {{outcome}}': quantile(0.95, 'cuzk_stage_duration_seconds', ['stage', 'outcome']),
    }),
    lines('Waits, 95th percentile', 's', {
      '{{stage}}': quantile(0.95, 'cuzk_stage_wait_seconds', ['stage']),
    }),
    lines(
      'Phases of synthesis, average, stacked',
      's',
      {
        '{{phase}}': average(
          'cuzk_phase_duration_seconds',
          ['phase'],
          '{phase=~"cuzk[.]synthesize.*"}',
        ),
      },
      { width: 12, stack: true },
    ),
    lines(
      'Phases of proving, average',
      's',
      {
        '{{phase}} ({{clock}})': average(
          'cuzk_phase_duration_seconds',
          ['phase', 'clock'],
          '{phase!~"cuzk[.]synthesize.*"}',
        ),
      },
      {
        width: 12,
        description: 'clock gpu: by timestamps of the device; wall: around the submits',
      },
    ),
    lines('Proofs that did not verify', 'cpm', {
      '{{stage}}': 'sum by (stage) (rate(cuzk_self_check_failures_total[5m])) * 60',
    }),
  ],
);
