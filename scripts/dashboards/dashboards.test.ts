import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import * as metrics from '@cuzk/service-kit/metric-names';
import { describe, expect, it } from 'vitest';
import { readRepositoryText } from '../docs/markdown.ts';
// @ts-expect-error: a script, without types.
import { checkDashboards, namesIn, readDashboards, readRules } from './check.mjs';

const RULES = fileURLToPath(new URL('../../deploy/prometheus/', import.meta.url));
const promtool = (...args: string[]) => spawnSync('promtool', args, { encoding: 'utf8' });
const HAS_PROMTOOL = promtool('--version').status === 0;
if (!HAS_PROMTOOL)
  console.log("skipped: promtool is not here (Debian's package prometheus has it)");

interface Panel {
  title: string;
  targets: { expr?: string; datasource: { type: string; uid: string } }[];
}
interface Dashboard {
  name: string;
  uid: string;
  panels: Panel[];
}
const dashboards = readDashboards() as Dashboard[];
const rules = readRules() as { alert: string; expr: string }[];
const problems = (changed: Dashboard[] = dashboards, alerts = rules): string[] =>
  checkDashboards(metrics, changed, alerts);

describe('dashboards and alerts', () => {
  it('show every metric, and ask for none and for no label that does not exist', () => {
    expect(problems()).toEqual([]);
  });

  it('are refused when a metric is in no panel', () => {
    const others = dashboards.map((dashboard) => ({
      ...dashboard,
      panels: dashboard.panels.filter(({ targets }) =>
        targets.every(({ expr = '' }) => !expr.includes('cuzk_gpu_submits')),
      ),
    }));
    expect(problems(others)).toEqual(['cuzk_gpu_submits is in no panel']);
  });

  it('are refused when a panel or an alert asks for what does not exist', () => {
    const [first, ...others] = dashboards as [Dashboard, ...Dashboard[]];
    const panel = (expr: string): Panel => ({
      title: 'new',
      targets: [{ expr, datasource: { type: 'prometheus', uid: 'prometheus' } }],
    });
    const added = (expr: string) =>
      problems([{ ...first, panels: [...first.panels, panel(expr)] }, ...others]);
    expect(added('rate(cuzk_failures[5m])')).toEqual([
      `${first.name}, panel "new": there is no metric cuzk_failures`,
    ]);
    expect(added('sum by (proof) (cuzk_proofs_live)')).toEqual([
      `${first.name}, panel "new": no metric of the query has a label proof`,
    ]);
    expect(added('cuzk_queue_jobs{status="waiting"}')).toEqual([
      `${first.name}, panel "new": no metric of the query has a label status`,
    ]);
    const alert = { alert: 'New', expr: 'cuzk_nothing > 0' };
    expect(problems(dashboards, [...rules, alert])).toEqual([
      'alert New: there is no metric cuzk_nothing',
    ]);
  });

  it('have names of series and labels that are found in any query', () => {
    const query =
      'histogram_quantile(0.95, sum by (stage, le) (rate(cuzk_stage_wait_seconds_bucket{stage=~"a|cuzk_b"}[5m]))) or up{job="cuzk_c"}';
    expect(namesIn(query)).toEqual({
      series: ['cuzk_stage_wait_seconds_bucket', 'up'],
      labels: ['stage', 'job', 'le'],
    });
  });

  it('are five with ids, titles and a link to the traces of a proof in every chart', () => {
    expect(dashboards.map(({ name }) => name).toSorted()).toEqual([
      'fleet.json',
      'gpu.json',
      'memory.json',
      'proof.json',
      'queues.json',
    ]);
    expect(new Set(dashboards.map(({ uid }) => uid)).size).toBe(5);
    for (const { name, panels } of dashboards) {
      const places = panels.map((panel) => (panel as unknown as { gridPos: Box }).gridPos);
      for (const [i, a] of places.entries()) {
        for (const b of places.slice(i + 1)) expect(overlap(a, b), name).toBe(false);
      }
      const charts = panels.filter((panel) => (panel as { type?: string }).type === 'timeseries');
      expect(charts.length, name).toBeGreaterThan(2);
      for (const chart of charts) expect(JSON.stringify(chart)).toContain('Traces of the proof');
    }
  });

  it('find their data sources provisioned', () => {
    const provisioned = readRepositoryText('deploy/grafana/provisioning/datasources/cuzk.yaml');
    const uids = new Set(
      dashboards.flatMap(({ panels }) =>
        panels.flatMap(({ targets }) => targets.map(({ datasource }) => datasource.uid)),
      ),
    );
    expect([...uids].toSorted()).toEqual(['prometheus', 'tempo']);
    for (const uid of uids) expect(provisioned).toContain(`uid: ${uid}`);
  });
});

interface Box {
  readonly x: number;
  readonly y: number;
  readonly w: number;
  readonly h: number;
}
const overlap = (a: Box, b: Box): boolean =>
  a.x < b.x + b.w && b.x < a.x + a.w && a.y < b.y + b.h && b.y < a.y + a.h;

describe('every alert', () => {
  it('has a row with what to do in docs/operations.md, and every row an alert', () => {
    const section =
      /## Alerts\n([\s\S]*?)(?=\n## |$)/.exec(readRepositoryText('docs/operations.md'))?.[1] ?? '';
    const rows = section.split('\n').flatMap((line) => {
      const [, name, means, action] = line.split('|').map((cell) => cell.trim());
      return /^`Cuzk/.test(name ?? '') ? [{ name: name?.replaceAll('`', ''), means, action }] : [];
    });
    expect(rows.map(({ name }) => name).toSorted()).toEqual(
      rules.map(({ alert }) => alert).toSorted(),
    );
    for (const { name, means, action } of rows) {
      expect(means?.length, name).toBeGreaterThan(20);
      expect(action?.length, name).toBeGreaterThan(20);
    }
  });

  it('is tested, firing and not firing', () => {
    const tests = readFileSync(join(RULES, 'rules', 'cuzk.test.yml'), 'utf8');
    for (const { alert } of rules) {
      expect(tests).toMatch(new RegExp(`alertname: ${alert}, exp_alerts: \\[\\]`));
      expect(tests).toMatch(new RegExp(`alertname: ${alert}\n\\s+exp_alerts:\n`));
    }
  });

  it.skipIf(!HAS_PROMTOOL)('holds in promtool, and its tests notice a changed rule', () => {
    expect(promtool('check', 'rules', join(RULES, 'rules', 'cuzk.yml')).status).toBe(0);
    expect(promtool('check', 'config', '--syntax-only', join(RULES, 'prometheus.yml')).status).toBe(
      0,
    );
    const folder = mkdtempSync(join(tmpdir(), 'cuzk-rules-'));
    cpSync(join(RULES, 'rules'), folder, { recursive: true });
    const test = () => promtool('test', 'rules', join(folder, 'cuzk.test.yml'));
    const good = test();
    expect([good.status, good.stderr]).toEqual([0, '']);
    const file = join(folder, 'cuzk.yml');
    writeFileSync(file, readFileSync(file, 'utf8').replace('> 1800', '> 18000'));
    expect(test().status).not.toBe(0);
  });

  it.skipIf(!HAS_PROMTOOL)('and every panel asks in valid PromQL', () => {
    const exprs = dashboards.flatMap(({ panels }) =>
      panels.flatMap(({ targets }) => targets.flatMap(({ expr }) => expr ?? [])),
    );
    const file = join(mkdtempSync(join(tmpdir(), 'cuzk-queries-')), 'queries.yml');
    const check = (queries: readonly string[]) => {
      const records = queries.map((expr, i) => ({ record: `panel:query${i}`, expr }));
      writeFileSync(file, JSON.stringify({ groups: [{ name: 'panels', rules: records }] }));
      return promtool('check', 'rules', '--lint=none', file);
    };
    expect(exprs.length).toBeGreaterThan(50);
    expect(check(exprs).stderr).toBe('');
    expect(check([...exprs, 'sum by (cuzk_proofs_live']).status).not.toBe(0);
  });
});
