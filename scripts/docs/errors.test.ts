import { readFileSync } from 'node:fs';
import { ERROR_CODES } from '@cuzk/core/errors';
import { expect, it } from 'vitest';

const rows = readFileSync(new URL('../../docs/errors.md', import.meta.url), 'utf8')
  .split('\n')
  .map((line) => line.split('|').map((cell) => cell.trim()))
  .filter(([, code]) => /^[A-Z][A-Z0-9_]+$/.test(code ?? ''));

it('documents every error code, and no other, with its status and retryability', () => {
  const documented = Object.fromEntries(
    rows.map(([, code, status, retryable]) => [
      code,
      { status: Number(status), retryable: retryable === 'yes' },
    ]),
  );
  expect(documented).toEqual(ERROR_CODES);
  expect(rows.length).toBe(Object.keys(ERROR_CODES).length);
});

it('says for every code what it means and what to do', () => {
  for (const [, code, , , meaning, action] of rows) {
    expect(meaning, code).not.toBe('');
    expect(action, code).not.toBe('');
  }
});
