import { describe, expect, it } from 'vitest';
import { METRICS, type MetricName, namesOf, seriesOf } from './metric-names.ts';
import { createMetrics } from './metrics.ts';

const entries = Object.entries(METRICS) as [MetricName, (typeof METRICS)[MetricName]][];

describe('the table of metrics', () => {
  it('has a unit and help everywhere, and units in the names', () => {
    for (const [name, { unit, help }] of entries) {
      expect(name).toMatch(/^cuzk_[a-z0-9_]+$/);
      expect(help.length, name).toBeGreaterThan(10);
      if (unit === 's') expect(name).toMatch(/_seconds$/);
      else if (unit === 'By') expect(name).toMatch(/_bytes$/);
      else expect(unit, name).toMatch(/^(1|\{[a-z]+\})$/);
    }
  });

  it('has no label that could take any number of values', () => {
    const labels = new Set(
      entries.flatMap(([, definition]) => definition.labels as readonly string[]),
    );
    for (const label of ['proof', 'proof_id', 'job', 'partition', 'worker', 'trace_id', 'pid']) {
      expect(labels).not.toContain(label);
    }
  });
});

describe('metrics', () => {
  it('show every series of the table under the name that dashboards ask for', async () => {
    const metrics = createMetrics('test', 'test');
    const every = <Name extends MetricName>(name: Name) =>
      Object.fromEntries(METRICS[name].labels.map((label) => [label, 'x'])) as never;
    for (const name of namesOf('counter')) metrics.count(name, every(name), 2);
    for (const name of namesOf('histogram')) metrics.observeSeconds(name, 3, every(name));
    const read = [...namesOf('gauge'), ...namesOf('total'), ...namesOf('upDown')];
    for (const name of read) metrics.observe(name, (observe) => observe(4, every(name)));
    const text = await metrics.text();
    const shown = new Set(
      text.split('\n').flatMap((line) => /^([a-z_]+)[{ ]/.exec(line)?.[1] ?? []),
    );
    shown.delete('target_info');
    expect([...shown].toSorted()).toEqual(entries.flatMap(([name]) => seriesOf(name)).toSorted());
    expect(text).not.toContain('otel_scope');
    for (const [name, { help }] of entries) expect(text, name).toContain(help);
  });

  it('stay bounded when a label takes more values than it should', async () => {
    const metrics = createMetrics('test', 'test');
    for (let i = 0; i < 1_000; i++) {
      metrics.count('cuzk_failures', { stage: 'prove', code: `CODE_${i}` });
    }
    const lines = (await metrics.text())
      .split('\n')
      .filter((line) => line.startsWith('cuzk_failures_total{'));
    expect(lines.length).toBeLessThanOrEqual(201);
    const sum = lines.reduce((total, line) => total + Number(line.split(' ').at(-1)), 0);
    expect(sum).toBe(1_000);
  });
});
