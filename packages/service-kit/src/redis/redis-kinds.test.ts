import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { createLogger } from '../logger.ts';
import { openService, type Service } from '../open-service.ts';
import { StageWorker } from '../queues/stage-worker.ts';
import { refuseC1 } from '../record/changes.ts';
import { createOrJoinProof } from '../record/create-proof.ts';
import { readProof } from '../record/read-proof.ts';
import { eventually, NO_METRICS_PAGE } from '../testing/open-test-service.ts';
import { freePort, TestRedis } from '../testing/redis-server.ts';
import { newProof } from '../testing/sample-proof.ts';
import { checkRedis } from './check-redis.ts';
import { connectRedis } from './connection.ts';
import type { RedisAddress } from './redis-settings.ts';

const folder = mkdtempSync(join(tmpdir(), 'cuzk-kinds-'));
const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function serve(address: RedisAddress): Promise<Service> {
  const service = await openService(
    'synth-worker',
    {
      ...address,
      ARTIFACT_DIR: join(folder, 'artifacts'),
      ...{ NODE_NAME: 'node', INSTANCE: '0', LOG_LEVEL: 'silent', SPAN_FILE: '' },
      OTEL_EXPORTER_OTLP_ENDPOINT: '',
      ...NO_METRICS_PAGE,
    },
    'patient',
  );
  closing.push(() => service.close());
  return service;
}

/** A record, a queue, notifications, a blocking worker: all that the product does with Redis. */
async function takesAProofThrough(service: Service): Promise<void> {
  const stage = await StageWorker.start(service, {
    ...{ stage: 'ingest', concurrency: 1, maxFailures: 3 },
    handle: ({ fence }) => refuseC1(service.redis, fence, { code: 'C1_MALFORMED', message: 'no' }),
  });
  closing.push(() => stage.drain());
  await proveOne(service);
}

async function proveOne(service: Service): Promise<void> {
  const created = await createOrJoinProof(service.redis, newProof());
  await service.queues.addUnits(created.next);
  const proof = await eventually(async () => {
    const now = await readProof(service.redis, created.proofId);
    return now?.endedAt ? now : null;
  }, 30_000);
  expect(proof.problem?.code).toBe('C1_MALFORMED');
}

const hasOpenssl = spawnSync('openssl', ['version']).status === 0;
if (!hasOpenssl) console.log('skipped: rediss:// needs openssl to make certificates');

describe('rediss://', () => {
  it.skipIf(!hasOpenssl)(
    'works with a certificate authority of its own, and not without',
    async () => {
      const file = (name: string) => join(folder, name);
      const openssl = (...args: string[]) =>
        execFileSync('openssl', args, { cwd: folder, stdio: 'pipe' });
      const subject = ['-subj', '/CN=127.0.0.1', '-addext', 'subjectAltName=IP:127.0.0.1'];
      openssl(
        'req',
        '-x509',
        '-newkey',
        'rsa:2048',
        '-nodes',
        '-days',
        '2',
        '-keyout',
        'key.pem',
        '-out',
        'cert.pem',
        ...subject,
      );
      const [port, plainPort] = [await freePort(), await freePort()];
      const tls = [
        '--tls-port',
        String(port),
        '--tls-cert-file',
        file('cert.pem'),
        '--tls-key-file',
        file('key.pem'),
      ];
      const server = spawn('redis-server', [
        ...['--port', String(plainPort), '--bind', '127.0.0.1', '--save', '', '--dir', folder],
        ...tls,
        ...['--tls-ca-cert-file', file('cert.pem'), '--tls-auth-clients', 'no'],
      ]);
      closing.push(() => server.kill('SIGKILL'));
      const REDIS_URL = `rediss://127.0.0.1:${port}`;
      const service = await serve({ REDIS_URL, REDIS_CA_FILE: file('cert.pem') });
      await takesAProofThrough(service);
      const logger = createLogger('test', 'silent');
      const stranger = connectRedis({ REDIS_URL }, 'patient', 'test', logger);
      await expect(stranger).rejects.toMatchObject({ code: 'REDIS_UNAVAILABLE' });
    },
    60_000,
  );

  it('names a certificate file that cannot be read', async () => {
    const address = { REDIS_URL: 'rediss://127.0.0.1:1', REDIS_CA_FILE: join(folder, 'none.pem') };
    await expect(serve(address)).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
  });
});

describe('an ACL user', () => {
  it('needs its own keys and channels only', async () => {
    const server = await TestRedis.start();
    closing.push(() => server.stop());
    const admin = new Redis(server.url);
    await admin.call(
      'ACL',
      'SETUSER',
      'cuzk',
      'on',
      '>a:b@c',
      '~{cuzk}*',
      '&{cuzk}:*',
      '+@all',
      '-@dangerous',
      '+info',
      '-config',
    );
    await admin.call('ACL', 'SETUSER', 'default', 'off');
    const REDIS_URL = `redis://cuzk:${encodeURIComponent('a:b@c')}@127.0.0.1:${server.port}`;
    await takesAProofThrough(await serve({ REDIS_URL }));
    admin.disconnect();
  }, 60_000);
});

function sentinel(port: number, primaryPort: number): ChildProcess {
  const path = join(folder, `sentinel-${port}.conf`);
  writeFileSync(
    path,
    [
      `port ${port}`,
      'bind 127.0.0.1',
      `dir ${folder}`,
      `sentinel monitor cuzk 127.0.0.1 ${primaryPort} 1`,
      'sentinel down-after-milliseconds cuzk 1000',
      'sentinel failover-timeout cuzk 5000',
    ].join('\n'),
  );
  return spawn('redis-server', [path, '--sentinel'], { stdio: 'ignore' });
}

describe('Sentinel', () => {
  it('leads to the primary, and to the next one after a fail-over', {
    timeout: 120_000,
  }, async () => {
    const first = await TestRedis.start();
    const second = await TestRedis.start({
      settings: ['--replicaof', '127.0.0.1', String(first.port)],
    });
    const port = await freePort();
    const watcher = sentinel(port, first.port);
    closing.push(
      () => first.stop(),
      () => second.stop(),
      () => watcher.kill('SIGKILL'),
    );
    const admin = new Redis(`redis://127.0.0.1:${port}`, { retryStrategy: () => 100 });
    admin.on('error', () => {});
    closing.push(() => admin.disconnect());
    await eventually(async () => {
      const replicas = (await admin
        .call('SENTINEL', 'REPLICAS', 'cuzk')
        .catch(() => [])) as unknown[];
      return replicas.length > 0;
    }, 30_000);

    const service = await serve({
      REDIS_URL: 'redis://ignored:1',
      REDIS_SENTINELS: `127.0.0.1:${port}`,
      REDIS_SENTINEL_NAME: 'cuzk',
    });
    await takesAProofThrough(service);
    await eventually(async () => (await service.redis.wait(1, 100)) === 1);
    const startedAt = performance.now();
    await first.kill();
    await proveOne(service);
    console.log(
      `a proof through the next primary ${Math.round(performance.now() - startedAt)} ms after the first was killed`,
    );
    expect(service.redis.options.sentinels).toHaveLength(1);
  });
});

const VALKEY = 'valkey-server';
const hasValkey = spawnSync(VALKEY, ['--version']).status === 0;
if (!hasValkey)
  console.log(
    `skipped: ${VALKEY} is not installed here (docs/testing.md says where it is to be had)`,
  );

describe('Valkey', () => {
  it.skipIf(!hasValkey)('does what Redis does, and passes the check at the start', async () => {
    const settings = ['--maxmemory', '1gb'];
    const server = await TestRedis.start({ program: VALKEY, durable: true, settings });
    closing.push(() => server.stop());
    const redis = new Redis(server.url);
    expect(await redis.info('server')).toContain('server_name:valkey');
    expect(await checkRedis(redis, true)).toEqual({ warnings: [] });
    await redis.config('SET', 'maxmemory-policy', 'allkeys-lru');
    await expect(checkRedis(redis)).rejects.toMatchObject({ code: 'REDIS_UNSUITABLE' });
    await redis.config('SET', 'maxmemory-policy', 'noeviction');
    redis.disconnect();
    await takesAProofThrough(await serve({ REDIS_URL: server.url }));
  });
});
