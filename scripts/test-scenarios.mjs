// `npm run test:scenario`: the scenarios that `npm test` runs too; with `--all` the long ones as well. Anything else
// goes to vitest (file names, `-t`). A line for each file says how long it took.
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { shaderCacheEnvironment } from './setup/cache-folder.mjs';
import { ROOT } from './setup.mjs';
import { REPORTS } from './test/report.mjs';

const all = process.argv.includes('--all');
const rest = process.argv.slice(2).filter((argument) => argument !== '--all');
mkdirSync(REPORTS, { recursive: true });
const report = join(REPORTS, 'scenario.json');
const vitest = join(ROOT, 'node_modules', 'vitest', 'vitest.mjs');
const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`];
const { status } = spawnSync(
  process.execPath,
  [vitest, 'run', '--project', 'scenario', ...reporters, ...rest],
  {
    cwd: ROOT,
    stdio: 'inherit',
    env: { ...shaderCacheEnvironment(), GPU: 'software', ...(all ? { SLOW: '1' } : {}) },
  },
);
if (status === 0) {
  const files = JSON.parse(readFileSync(report, 'utf8')).testResults.map(
    ({ name, startTime, endTime }) => ({
      name: basename(name),
      seconds: (endTime - startTime) / 1000,
    }),
  );
  for (const { name, seconds } of files.sort((a, b) => b.seconds - a.seconds)) {
    console.log(`${seconds.toFixed(1).padStart(7)} s  ${name}`);
  }
  const sum = files.reduce((total, { seconds }) => total + seconds, 0);
  console.log(
    `${sum.toFixed(1).padStart(7)} s  ${files.length} files${all ? '' : ', without the long ones (--all)'}`,
  );
}
process.exitCode = status ?? 1;
