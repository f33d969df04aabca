// `npm test`: set-up, then the unit, gpu and scenario tests, each with a JSON report for .ci/run.
// `--quick`: a minute of the unit tests, with neither Redis nor apt.
import { spawnSync } from 'node:child_process';
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { shaderCacheEnvironment } from './setup/cache-folder.mjs';
import { ROOT, setUp } from './setup.mjs';
import { chooseQuickTests } from './test/quick.mjs';
import { REPORTS, readReport } from './test/report.mjs';

const PROJECTS = [
  { name: 'unit', what: 'plain code; no GPU' },
  {
    name: 'gpu',
    what: 'every kernel against its plain twin, on the software adapter, alone, in one worker',
    environment: { GPU: 'software' },
  },
  {
    name: 'scenario',
    what: 'real processes and a real Redis, one after another',
    environment: { GPU: 'software' },
  },
  { name: 'chaos', what: 'fleets of real processes that are broken on purpose, two at once' },
];

const quick = process.argv.includes('--quick');
await setUp({ system: !quick });
rmSync(REPORTS, { recursive: true, force: true });
mkdirSync(REPORTS, { recursive: true });

const results = PROJECTS.filter(({ name }) => !quick || name === 'unit').map(runProject);
for (const { name, passed, failed, skipped, seconds } of results) {
  console.log(
    `${name}: ${passed} passed, ${failed} failed, ${skipped} skipped in ${Math.round(seconds)} s`,
  );
}
process.exitCode = results.some(({ failed }) => failed > 0) ? 1 : 0;

/** Files of the quick set; none means all of a project. */
function selectedFiles() {
  if (!quick) return [];
  const { quick: files, leftOut } = chooseQuickTests(ROOT);
  const count = (reason) => leftOut.filter(({ why }) => why === reason).length;
  console.log(
    `left out: ${count('Redis')} test files that start a Redis, ${count('long')} that take long; npm test runs them`,
  );
  return files;
}

function runProject({ name, what, environment }) {
  console.log(`\n== ${name} tests: ${what}`);
  const report = join(REPORTS, `${name}.json`);
  const vitest = join(ROOT, 'node_modules', 'vitest', 'vitest.mjs');
  const args = ['run', '--project', name, '--reporter=default', '--reporter=json'];
  const started = performance.now();
  const { status } = spawnSync(
    process.execPath,
    [vitest, ...args, ...selectedFiles(), `--outputFile.json=${report}`, '--passWithNoTests'],
    { cwd: ROOT, stdio: 'inherit', env: { ...shaderCacheEnvironment(), ...environment } },
  );
  return {
    name,
    ...readReport(report, status === 0),
    seconds: (performance.now() - started) / 1000,
  };
}
