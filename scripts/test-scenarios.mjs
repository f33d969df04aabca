// `npm run test:scenario`: the scenarios that `npm test` runs too; with `--all` the long ones as well. Anything else
// goes to vitest (file names, `-t`). A line for each file says how long it took.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { shaderCacheEnvironment } from './setup/cache-folder.mjs';
import { ROOT } from './setup.mjs';
import { REPORTS } from './test/report.mjs';

const all = process.argv.includes('--all');
const rest = process.argv.slice(2).filter((argument) => argument !== '--all');
const env = { ...shaderCacheEnvironment(), GPU: 'software', ...(all ? { SLOW: '1' } : {}) };
mkdirSync(REPORTS, { recursive: true });

/** Runs one project; its exit status, and how long each of its files took. */
function run(project) {
  const report = join(REPORTS, `${project}.json`);
  rmSync(report, { force: true });
  const vitest = join(ROOT, 'node_modules', 'vitest', 'vitest.mjs');
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`];
  const options = ['--project', project, '--passWithNoTests', ...reporters, ...rest];
  const { status } = spawnSync(process.execPath, [vitest, 'run', ...options], {
    cwd: ROOT,
    stdio: 'inherit',
    env,
  });
  const results = existsSync(report) ? JSON.parse(readFileSync(report, 'utf8')).testResults : [];
  const files = results.map(({ name, startTime, endTime, status: outcome }) => ({
    name: basename(name),
    outcome,
    seconds: (endTime - startTime) / 1000,
  }));
  return { status: status ?? 1, files };
}

const startedAt = performance.now();
const runs = ['chaos', 'scenario'].map(run);
const files = runs.flatMap((one) => one.files).sort((a, b) => b.seconds - a.seconds);
for (const { name, outcome, seconds } of files) {
  console.log(`${seconds.toFixed(1).padStart(7)} s  ${outcome}  ${name}`);
}
const seconds = (performance.now() - startedAt) / 1000;
console.log(
  `${files.length} files in ${seconds.toFixed(0)} s${all ? '' : ', without the long ones: --all'}`,
);
process.exitCode = Math.max(...runs.map(({ status }) => status));
