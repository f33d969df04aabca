import { existsSync } from 'node:fs';
import { expect, it } from 'vitest';
import { documents, inlineCode, readRepositoryText } from './markdown.ts';

const ROOT = new URL('../../', import.meta.url);
const TOP = ['packages', 'services', 'docs', 'deploy', 'examples', 'scripts', 'test', '.ci'];

it('ARCHITECTURE.md stays below 150 lines', () => {
  expect(readRepositoryText('ARCHITECTURE.md').split('\n').length).toBeLessThan(150);
});

it('documents name paths that are there', () => {
  const missing = documents().flatMap(({ path, text }) =>
    inlineCode(text)
      .filter((code) => /^[\w./-]+$/.test(code) && code.includes('/'))
      .filter((code) => TOP.includes(code.split('/')[0] ?? ''))
      .filter((code) => !existsSync(new URL(code, ROOT)))
      .map((code) => `${path}: ${code}`),
  );
  expect(missing).toEqual([]);
});

it('documents link to what is there', () => {
  const broken = documents().flatMap(({ path, text }) =>
    [...text.matchAll(/\]\(([^)]+)\)/g)]
      .map(([, target = '']) => target.split('#')[0] ?? '')
      .filter((target) => target !== '' && !/^[a-z]+:/.test(target))
      .filter((target) => !existsSync(new URL(target, new URL(path, ROOT))))
      .map((target) => `${path}: ${target}`),
  );
  expect(broken).toEqual([]);
});

it('documents have no line that someone meant to fill in later', () => {
  const unfinished = documents().filter(({ text }) => /@[A-Z]+@|\bTODO\b|\bFIXME\b/.test(text));
  expect(unfinished.map(({ path }) => path)).toEqual([]);
});
