import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { readConfig } from '../config.ts';
import { findFreePort } from './free-port.ts';
import { redisPlan, waitForRedis } from './redis-server.ts';
import { systemFolders } from './service-plans.ts';
import { startProcess } from './started-process.ts';
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

it('a folder that processes of an earlier run still use is not used: two servers would destroy the log of Redis', async () => {
  const { redis, artifacts } = systemFolders(folder);
  const environment = { PATH: process.env.PATH ?? '', ARTIFACT_DIR: artifacts };
  const output = { line: () => {} };
  const plan = { port: await findFreePort(), folder: redis, environment, output };
  const left = [
    await startProcess(redisPlan(plan)),
    await startProcess({
      name: 'service',
      command: [process.execPath, '-e', 'setInterval(() => {}, 1000)'],
      environment,
      output,
    }),
  ];
  await waitForRedis(plan.port, 10_000);
  const start = () =>
    System.start({
      config: readConfig({ ...process.env, GPU: 'software', SYNTH_THREADS: 'many' }),
      folder,
      output: () => output,
      onEvent: () => {},
    });
  try {
    const refused = await start().then(
      (system) => system.close().then(() => null),
      (error: unknown) => error,
    );
    const pids = left.map(({ pid }) => pid).toSorted((a, b) => a - b);
    expect(refused).toMatchObject({
      code: 'SETUP_FAILED',
      facts: { found: `processes ${pids.join(' ')}` },
    });
  } finally {
    for (const each of left) await each.stop(5_000);
  }
  await (await start()).close();
});
