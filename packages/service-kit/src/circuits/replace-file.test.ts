import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { replaceFile } from './replace-file.ts';

const folder = mkdtempSync(join(tmpdir(), 'cuzk-replace-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

it('a file that several write at once is one of theirs: in containers processes have the same number', async () => {
  const path = join(folder, 'shape');
  const texts = ['a', 'b', 'c', 'd'].map((letter) => letter.repeat(5_000_000));
  await Promise.all(texts.map((text) => replaceFile(path, text)));
  expect(texts).toContain(readFileSync(path, 'utf8'));
  expect(readdirSync(folder)).toEqual(['shape']);
});
