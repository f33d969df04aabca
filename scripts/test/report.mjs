import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Where the test command leaves one vitest report a project. */
export const REPORTS = fileURLToPath(new URL('../../.cache/test-reports', import.meta.url));

/**
 * Counts of one vitest JSON report. A run that ended badly with no failed test in its report (a crash, a file
 * that does not load, no report at all) counts as one failure, so that nothing is lost in a sum.
 */
export function readReport(file, succeeded) {
  if (!existsSync(file)) return { passed: 0, failed: succeeded ? 0 : 1, skipped: 0 };
  const report = JSON.parse(readFileSync(file, 'utf8'));
  const failed = Math.max(report.numFailedTests, report.success === false || !succeeded ? 1 : 0);
  return {
    passed: report.numPassedTests,
    failed,
    skipped: report.numPendingTests + report.numTodoTests,
  };
}

/** Sum over the reports in a folder, with those of `expected` that are missing counted as failures. */
export function sumReports(folder, expected) {
  const present = existsSync(folder)
    ? readdirSync(folder).filter((name) => name.endsWith('.json'))
    : [];
  const missing = expected.filter((name) => !present.includes(`${name}.json`)).length;
  const reports = present.map((name) => ({
    name: basename(name, '.json'),
    ...readReport(join(folder, name), true),
  }));
  const sum = (field) => reports.reduce((total, report) => total + report[field], 0);
  return { passed: sum('passed'), failed: sum('failed') + missing, skipped: sum('skipped') };
}
