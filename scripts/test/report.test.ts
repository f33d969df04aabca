import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { readReport, sumReports } from './report.mjs';

describe('test reports', () => {
  let folder = '';
  const write = (name: string, passed: number, failed: number, success: boolean): string => {
    const file = join(folder, `${name}.json`);
    writeFileSync(
      file,
      JSON.stringify({
        numPassedTests: passed,
        numFailedTests: failed,
        numPendingTests: 1,
        numTodoTests: 0,
        success,
      }),
    );
    return file;
  };
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'cuzk-reports-'));
  });

  it('sums passed, failed and skipped over all projects', () => {
    write('unit', 10, 0, true);
    write('gpu', 5, 2, false);
    expect(sumReports(folder, ['unit', 'gpu'])).toEqual({ passed: 15, failed: 2, skipped: 2 });
  });
  it('counts a project without a report as a failure', () => {
    write('unit', 10, 0, true);
    expect(sumReports(folder, ['unit', 'gpu', 'scenario']).failed).toBe(2);
  });
  it('counts a file that did not load as a failure though no test failed', () => {
    expect(readReport(write('unit', 10, 0, false), true).failed).toBe(1);
  });
  it('counts a run that crashed after its report as a failure', () => {
    expect(readReport(write('unit', 10, 0, true), false).failed).toBe(1);
  });
});
