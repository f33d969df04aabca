import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { replaceFile, sweepUnfinished } from './replace-file.ts';

const HOUR_MS = 3_600_000;

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'cuzk-replace-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

it('a file that several write at once is one of theirs: in containers processes have the same number', async () => {
  const path = join(folder, 'shape');
  const texts = ['a', 'b', 'c', 'd'].map((letter) => letter.repeat(5_000_000));
  await Promise.all(texts.map((text) => replaceFile(path, text)));
  expect(texts).toContain(readFileSync(path, 'utf8'));
  expect(readdirSync(folder)).toEqual(['shape']);
});

it('what a killed process was writing is swept an hour later, and nothing else is', async () => {
  const shapes = join(folder, 'shapes');
  const module = new URL('../../dist/circuits/replace-file.js', import.meta.url).href;
  // kills itself as soon as it has begun: pieces are written in turns of its loop
  const program = `import(${JSON.stringify(module)}).then(({ replaceFile }) => {
    const [folder] = process.argv.slice(1);
    replaceFile(folder + '/2KiB.shape', Buffer.alloc(2 ** 30));
    setInterval(() => require('fs').readdirSync(folder).length > 0 && process.kill(process.pid, 'SIGKILL'), 1);
  })`;
  mkdirSync(shapes);
  const writer = spawn(process.execPath, ['-e', program, shapes]);
  await once(writer, 'exit');
  const left = readdirSync(shapes);
  expect(left).toEqual([expect.stringMatching(/^2KiB\.shape\../)]);

  const others = ['2KiB.shape', 'aa0e8400-e29b-41d4-a716-446655440000', 'notes.txt'];
  for (const name of others) writeFileSync(join(shapes, name), 'x');
  mkdirSync(join(shapes, 'old.aa0e8400-e29b-41d4-a716-446655440000'));
  expect(await sweepUnfinished(folder)).toBe(0);
  expect(await sweepUnfinished(folder, Date.now() + HOUR_MS + 1000)).toBe(1);
  expect(readdirSync(shapes).toSorted()).toEqual(
    [...others, 'old.aa0e8400-e29b-41d4-a716-446655440000'].toSorted(),
  );
  expect(await sweepUnfinished(join(folder, 'none'))).toBe(0);
});
