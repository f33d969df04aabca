import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { runJson } from '../testing/run-program.ts';
import { openOutput, writeOutput } from './output-file.ts';

const folder = mkdtempSync(join(tmpdir(), 'cuzk-output-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('a file that the user named', () => {
  it('is written whole, or in pieces', async () => {
    const path = join(folder, 'file');
    await writeOutput(path, 'at once');
    expect(readFileSync(path, 'utf8')).toBe('at once');
    const file = await openOutput(path);
    for (const piece of ['in ', 'pieces']) await file.write(piece);
    await file.close();
    expect(readFileSync(path, 'utf8')).toBe('in pieces');
  });

  it('is the fault of the command line where it cannot be there, and of the disk where that is full', async () => {
    for (const path of [folder, join(folder, 'none', 'file'), join(folder, 'a'.repeat(300))]) {
      const refused = { code: 'REQUEST_INVALID', facts: { found: path } };
      await expect(writeOutput(path, 'x')).rejects.toMatchObject(refused);
      await expect(openOutput(path)).rejects.toMatchObject(refused);
    }
    const full = { code: 'DISK_FULL' };
    await expect(writeOutput('/dev/full', 'x')).rejects.toMatchObject(full);
    await expect((await openOutput('/dev/full')).write('x')).rejects.toMatchObject(full);
  });

  it('ends a command that cannot write it with the one object that says so', async () => {
    const monitor = (out: string) => runJson(['memmon', '--out', out, '--for', '1']);
    expect(await monitor(join(folder, 'none', 'memory.csv'))).toMatchObject({
      value: { code: 'REQUEST_INVALID' },
      exitCode: 1,
    });
    expect(await monitor('/dev/full')).toMatchObject({ value: { code: 'DISK_FULL' }, exitCode: 1 });
  });
});
