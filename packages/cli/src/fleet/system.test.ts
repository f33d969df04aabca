import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { readConfig } from '../config.ts';
import { System } from './system.ts';

const folder = mkdtempSync(join(tmpdir(), 'cuzk-system-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

it('settings that a service cannot use are told as such, so that nobody starts the system again', async () => {
  const lines: string[] = [];
  const system = await System.start({
    config: readConfig({ ...process.env, GPU: 'software', SYNTH_THREADS: 'many' }),
    folder,
    output: () => ({ line: (line) => lines.push(line) }),
    onEvent: () => {},
  });
  try {
    const signal = AbortSignal.timeout(30_000);
    const ready = system.ready({ timeoutMs: 30_000, signal, onReason: () => {} });
    await expect(ready).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
    expect(lines.join('\n')).toContain('SYNTH_THREADS');
  } finally {
    await system.close();
  }
});
