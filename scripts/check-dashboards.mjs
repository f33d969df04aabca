// Fails when a metric is in no panel, or when a panel or an alert asks for a metric or a label that does not exist.
// The table of metrics is read from the build: npm run build first (npm run check does).
import { existsSync } from 'node:fs';
import { checkDashboards, readDashboards, readRules } from './dashboards/check.mjs';

const table = new URL('../packages/service-kit/dist/metric-names.js', import.meta.url);
if (!existsSync(table)) {
  console.error('check-dashboards: there is no build; run npm run build first');
  process.exit(1);
}
const metrics = await import(table.href);
const dashboards = readDashboards();
const problems = checkDashboards(metrics, dashboards, readRules());
for (const problem of problems) console.error(problem);
if (problems.length > 0) process.exit(1);
const panels = dashboards.reduce((sum, { panels: own }) => sum + own.length, 0);
console.log(
  `${Object.keys(metrics.METRICS).length} metrics in ${panels} panels of ${dashboards.length} dashboards`,
);
