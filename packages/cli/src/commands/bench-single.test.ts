import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { repositoryFile, runJson } from '../testing/run-program.ts';

const single = (...more: string[]) => runJson(['bench', 'single', '--sector', '2KiB', ...more]);
const example = repositoryFile('examples/c1/2KiB-V1_1-a/c1.json');

describe('cuzk bench single', () => {
  it.each([
    [[], /not clear what/],
    [['--synthetic', '--c1', 'c1.json'], /not clear what/],
    [['--c1', 'c1.json', '--miner', 'f01000'], /not clear what/],
    [['--c1', 'c1.json', '--miner', 'f01', '--sector-number', '1', '--proofs', '2'], /not clear/],
    [['--synthetic', '--proofs', '0'], /--proofs is not a count/],
    [['--synthetic', '--proofs', '65'], /--proofs is not a count/],
    [['--synthetic', '--seed', 'x'], /seed is not a number/],
    [['--synthetic', '--variant', 'V3'], /Allowed choices/],
  ])('refuses %j', async (more, message) => {
    const { value, exitCode } = await single(...more);
    expect(exitCode).toBe(1);
    expect(value).toMatchObject({ code: 'REQUEST_INVALID' });
    expect(value.message).toMatch(message);
  });

  it('starts nothing where there are no parameters to prove with', async () => {
    const empty = mkdtempSync(join(tmpdir(), 'cuzk-no-params-'));
    const environment = { FIL_PROOFS_PARAMETER_CACHE: empty };
    const run = await runJson(['bench', 'single', '--sector', '2KiB', '--synthetic'], environment);
    expect(run).toMatchObject({ exitCode: 1, value: { code: 'PARAMS_MISSING' } });
    expect(run.value.expected).toContain(empty);
  });

  it('refuses a C1 of another sector size, before it asks the API', async () => {
    const sector = ['--c1', example, '--miner', 'f01000', '--sector-number', '1'];
    const argv = ['bench', 'single', '--sector', '8MiB', ...sector, '--url', 'http://127.0.0.1:9'];
    const { value } = await runJson(argv);
    expect(value).toMatchObject({ code: 'REQUEST_INVALID', expected: '8MiB' });
  });

  it('says that the API does not answer', async () => {
    const sector = ['--c1', example, '--miner', 'f01000', '--sector-number', '1'];
    const { value } = await single(...sector, '--url', 'http://127.0.0.1:9');
    expect(value).toMatchObject({ code: 'API_UNAVAILABLE' });
  });
});
