// Arguments: static checks passed, static checks failed, exit status of the test command.
// Prints the plain closing line of .ci/run and exits with 1 unless everything holds.
import { REPORTS, sumReports } from './report.mjs';

const [checksPassed, checksFailed, testStatus] = process.argv.slice(2).map(Number);
const tests = sumReports(REPORTS, ['unit', 'gpu', 'scenario', 'chaos']);
const passed = checksPassed + tests.passed;
// The test command may fail before any report exists; the sum must not call that a success.
const failed = checksFailed + (testStatus === 0 ? tests.failed : Math.max(1, tests.failed));
console.log(`${passed} passed, ${failed} failed, ${tests.skipped} skipped`);
process.exitCode = failed === 0 ? 0 : 1;
