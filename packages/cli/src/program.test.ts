import { CuzkError } from '@cuzk/core/errors';
import { describe, expect, it } from 'vitest';
import { problemOf } from './terminal/problem.ts';
import { runCommandLine } from './testing/run-program.ts';

describe('command line', () => {
  it('answers --json with one object on stdout and everything else on stderr', async () => {
    const argv = ['circuit', '--sector', '3KiB', '--json'];
    const { stdout, stderr, exitCode } = await runCommandLine(argv);
    expect(exitCode).toBe(1);
    expect(JSON.parse(stdout)).toEqual({
      code: 'REQUEST_INVALID',
      message: 'there is no such sector size',
      expected: expect.stringContaining('2KiB'),
      found: '3KiB',
    });
    expect(stderr).toBe('');
  });

  it('keeps stdout empty on failure without --json', async () => {
    const { stdout, stderr, exitCode } = await runCommandLine(['circuit']);
    expect({ stdout, exitCode }).toEqual({ stdout: '', exitCode: 1 });
    expect(stderr).toContain('[REQUEST_INVALID]');
    expect(stderr).toContain('--sector');
  });

  it('refuses a command it does not know', async () => {
    const { stdout, exitCode } = await runCommandLine(['bogus', '--json']);
    expect(exitCode).toBe(1);
    expect(JSON.parse(stdout).code).toBe('REQUEST_INVALID');
  });
});

describe('problems', () => {
  it('keeps code and facts of a CuzkError and drops the code from its message', () => {
    const error = new CuzkError('C1_MALFORMED', 'a label is missing', { pointer: '/a/0' });
    expect(problemOf(error)).toEqual({
      code: 'C1_MALFORMED',
      message: 'a label is missing',
      pointer: '/a/0',
    });
  });
  it('calls anything else INTERNAL', () => {
    expect(problemOf(new TypeError('x is not a function')).code).toBe('INTERNAL');
  });
});
