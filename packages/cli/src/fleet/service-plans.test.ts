import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { readConfig } from '../config.ts';
import { findFreePort } from './free-port.ts';
import { redisPlan, waitForRedis } from './redis-server.ts';
import { type ServiceInstance, servicePlan, urlOf } from './service-plans.ts';
import { startProcess } from './started-process.ts';
import { waitForReady } from './wait-for-ready.ts';

const folder = mkdtempSync(join(tmpdir(), 'cuzk-plans-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

it.each([
  ['127.0.0.1', undefined],
  ['127.0.0.1', '0.0.0.0'],
  ['127.0.0.1', '::'],
  ['192.0.2.1', '192.0.2.1'],
  ['[2001:db8::1]', '2001:db8::1'],
])('a service answers at %s where HOST is %s', (host, HOST) => {
  expect(urlOf({ port: 80 }, HOST === undefined ? {} : { HOST })).toBe(`http://${host}:80`);
});

it('a service is found on the address that HOST gives it, which some systems set by themselves', async () => {
  const environment = { ...process.env, HOST: '127.0.0.2' } as Record<string, string>;
  const output = { line: () => {} };
  const port = await findFreePort();
  const redis = await startProcess(redisPlan({ port, folder, environment, output }));
  await waitForRedis(port, 10_000);
  const worker: ServiceInstance = {
    ...{ name: 'synth-worker', service: 'synth-worker', instance: 0, card: null },
    port: await findFreePort(),
  };
  const redisUrl = `redis://127.0.0.1:${port}`;
  const config = readConfig(environment);
  const settings = { config, redisUrl, artifactDir: join(folder, 'artifacts'), cards: [] };
  const service = await startProcess(servicePlan(worker, settings, output));
  try {
    await waitForReady(urlOf(worker, config.environment), {
      ...{ timeoutMs: 15_000, signal: AbortSignal.timeout(20_000) },
      ...{ check: () => {}, onReason: () => {} },
    });
  } finally {
    await service.stop(10_000);
    await redis.stop(5_000);
  }
});
