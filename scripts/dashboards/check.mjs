import { readdirSync, readFileSync } from 'node:fs';
import { parse } from 'yaml';

const DASHBOARDS = new URL('../../deploy/grafana/dashboards/', import.meta.url);
const RULES = new URL('../../deploy/prometheus/rules/cuzk.yml', import.meta.url);

/** What Prometheus itself adds. */
const OWN_SERIES = ['up'];
const OWN_LABELS = ['job', 'instance', 'le'];
const LABEL_LIST = /\b(?:by|without|on|ignoring)\s*\(([^)]*)\)/g;

/** Every panel of every dashboard, with its PromQL. */
export function readDashboards() {
  return readdirSync(DASHBOARDS)
    .filter((name) => name.endsWith('.json'))
    .map((name) => {
      const { uid, panels } = JSON.parse(readFileSync(new URL(name, DASHBOARDS), 'utf8'));
      return { name, uid, panels };
    });
}

/** Every alert with its PromQL. */
export function readRules() {
  const { groups } = parse(readFileSync(RULES, 'utf8'));
  return groups.flatMap(({ rules }) => rules);
}

/** Queries with where they stand. */
function queriesOf(dashboards, rules) {
  const panels = dashboards.flatMap(({ name, panels: own }) =>
    own.flatMap(({ title, targets = [] }) =>
      targets
        .filter(({ datasource }) => datasource?.type === 'prometheus')
        .map(({ expr }) => ({ where: `${name}, panel "${title}"`, expr, panel: true })),
    ),
  );
  const alerts = rules.map(({ alert, expr }) => ({ where: `alert ${alert}`, expr, panel: false }));
  return [...panels, ...alerts];
}

/** Names of series and of labels in a query. */
export function namesIn(expr) {
  const plain = expr.replaceAll(/"(?:[^"\\]|\\.)*"/g, '""');
  const matched = [...plain.matchAll(/\{([^}]*)\}/g)].flatMap(([, inside]) =>
    [...inside.matchAll(/(\w+)\s*(?:=~|!~|!=|=)/g)].map(([, label]) => label),
  );
  const grouped = [...plain.matchAll(LABEL_LIST)].flatMap(([, inside]) =>
    inside.split(',').map((label) => label.trim()),
  );
  const bare = plain.replaceAll(/\{[^}]*\}/g, ' ').replaceAll(LABEL_LIST, ' ');
  const series = [...bare.matchAll(/\b(cuzk_\w+|up)\b(?!\s*\()/g)].map(([name]) => name);
  return {
    series: [...new Set(series)],
    labels: [...new Set([...matched, ...grouped])].filter(Boolean),
  };
}

/** Everything that does not fit, one line each. */
export function checkDashboards({ METRICS, seriesOf }, dashboards, rules) {
  const metricOf = new Map(
    Object.keys(METRICS).flatMap((metric) => seriesOf(metric).map((series) => [series, metric])),
  );
  const shown = new Set();
  const problems = queriesOf(dashboards, rules).flatMap(({ where, expr, panel }) => {
    const { series, labels } = namesIn(expr);
    const known = series.filter((name) => metricOf.has(name));
    if (panel) for (const name of known) shown.add(metricOf.get(name));
    const allowed = new Set([
      ...OWN_LABELS,
      ...known.flatMap((name) => METRICS[metricOf.get(name)].labels),
    ]);
    const unknown = series.filter((name) => !metricOf.has(name) && !OWN_SERIES.includes(name));
    return [
      ...(series.length === 0 ? [`${where}: asks for no metric: ${expr}`] : []),
      ...unknown.map((name) => `${where}: there is no metric ${name}`),
      ...labels
        .filter((label) => !allowed.has(label))
        .map((label) => `${where}: no metric of the query has a label ${label}`),
    ];
  });
  const missing = Object.keys(METRICS).filter((metric) => !shown.has(metric));
  return [...problems, ...missing.map((metric) => `${metric} is in no panel`)];
}
