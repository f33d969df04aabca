import { mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openService, type Service } from '@cuzk/service-kit/open-service';
import { installGoldenKey, readGoldenCase } from '@cuzk/service-kit/testing/golden-case';
import { startGoldenProver } from '@cuzk/service-kit/testing/golden-prover';
import { eventually, testSettings } from '@cuzk/service-kit/testing/open-test-service';
import { freePort, TestRedis } from '@cuzk/service-kit/testing/redis-server';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { reaches, submit } from './testing/service-processes.ts';
import { RunningUnit, readUnit } from './testing/unit-file.ts';

const CHECKOUT = fileURLToPath(new URL('../../', import.meta.url));
const ROLES = ['cuzk-api.service', 'cuzk-synth-worker.service'] as const;
const GPU_WORKER = 'cuzk-gpu-worker@.service';
type Role = (typeof ROLES)[number] | typeof GPU_WORKER;

let redis: TestRedis;
let machine: string;
let port: number;
let service: Service;
/** What a gpu-worker without a device takes for a partition; the first ones never get to the end of it. */
let proveMs = '600000';
const units = new Map<Role, RunningUnit>();

beforeEach(async () => {
  redis = await TestRedis.start({ durable: true });
  machine = mkdtempSync(join(tmpdir(), 'cuzk-machine-'));
  port = await freePort();
  installGoldenKey(join(machine, 'cache'));
  for (const version of ['1', '2']) {
    const release = join(machine, 'releases', version);
    mkdirSync(release, { recursive: true });
    for (const part of ['packages', 'services', 'node_modules']) {
      symlinkSync(join(CHECKOUT, part), join(release, part));
    }
  }
  service = await openService(
    'gpu-worker',
    testSettings({
      REDIS_URL: redis.url,
      ARTIFACT_DIR: join(machine, 'artifacts'),
      NODE_NAME: 'gpu-a',
    }),
    'patient',
  );
});
afterEach(async () => {
  for (const unit of units.values()) await unit.stop();
  units.clear();
  await service.close();
  await redis.stop();
  rmSync(machine, { recursive: true, force: true });
});

/** What `ln -sfn` and a rename do: the link is never missing. */
function release(version: '1' | '2'): void {
  const fresh = join(machine, 'next');
  symlinkSync(join(machine, 'releases', version), fresh);
  renameSync(fresh, join(machine, 'current'));
}

/** Starts a unit with what its environment files say on this machine. */
async function start(role: Role): Promise<void> {
  const unit = new RunningUnit(readUnit(role, '0'), join(machine, 'current'), {
    ALLOW_SIMULATED_PROVER: '1',
    ...(role === GPU_WORKER ? { PROVER: 'simulated', SIMULATED_PROVE_MS: proveMs } : {}),
    OPS_PORT: '0',
    REDIS_URL: redis.url,
    ARTIFACT_DIR: join(machine, 'artifacts'),
    CUZK_CACHE_DIR: join(machine, 'cache'),
    FIL_PROOFS_PARAMETER_CACHE: join(machine, 'none'),
    ALLOW_DEVELOPMENT_PARAMS: '1',
    SYNTH_THREADS: '1',
    PORT: String(port),
  });
  units.set(role, unit);
  await eventually(() => {
    if (!unit.running) throw new Error(`${role} ended: ${unit.log.slice(-2_000)}`);
    return unit.log.includes('"msg":"ready"');
  }, 30_000);
}

/** Restarts every role on what `current` leads to now. */
async function restartAll(roles: readonly Role[] = ROLES): Promise<void> {
  for (const role of roles) {
    const { code, signal, tookMs } = (await units.get(role)?.stop()) ?? {};
    expect([code, signal], role).toEqual([0, null]);
    expect(tookMs, role).toBeLessThan(5_000);
    await start(role);
  }
}

/** Waits until the only partition of a proof is in this state. */
const partitionIs = (id: unknown, state: string) =>
  eventually(async () => {
    const response = await fetch(`http://127.0.0.1:${port}/v1/proofs/${id}`).catch(() => null);
    const proof = (await response?.json()) as { partitions: { state: string }[] } | undefined;
    return proof?.partitions[0]?.state === state;
  }, 30_000);

it('an upgrade and a rollback by the units lose no proof in flight and use up no attempt', async () => {
  release('1');
  for (const role of ROLES) await start(role);
  const url = `http://127.0.0.1:${port}`;
  const prover = await startGoldenProver(service, { workMs: 6_000 });
  const cases = (['2KiB-V1-a', '2KiB-V1_1-a', '2KiB-Synthetic-a'] as const).map(readGoldenCase);
  const ids: unknown[] = [];
  const send = async (i: number) => {
    const { c1, minerId, sectorNumber } = cases[i] ?? cases[0];
    const { status, body } = await submit(url, c1, { miner: `f0${minerId}`, sector: sectorNumber });
    expect(status).toBe(202);
    ids.push(body.proofId);
    return body.proofId;
  };
  // One is being proved and one synthesized while everything is replaced.
  await partitionIs(await send(0), 'proving');
  await partitionIs(await send(1), 'synthesizing');
  release('2');
  await restartAll();
  const third = await send(2);
  await partitionIs(third, 'synthesizing');
  release('1');
  await restartAll();

  for (const id of ids) {
    const proof = await reaches(url, id, ['succeeded', 'failed']);
    expect(proof.state).toBe('succeeded');
    expect(proof.partitions).toMatchObject([{ failures: { synthesize: 0, prove: 0 }, losses: 0 }]);
  }
  await prover.drain();
});

it('a gpu-worker that is replaced while it proves hands the partition back, and its successor proves it', async () => {
  release('1');
  const roles = [GPU_WORKER, ...ROLES] as const;
  for (const role of roles) await start(role);
  const url = `http://127.0.0.1:${port}`;
  const { c1, minerId, sectorNumber } = readGoldenCase('2KiB-V1_1-a');
  const { body } = await submit(url, c1, { miner: `f0${minerId}`, sector: sectorNumber });
  await partitionIs(body.proofId, 'proving');
  release('2');
  await restartAll(roles);
  await partitionIs(body.proofId, 'proving');
  release('1');
  proveMs = '500';
  await restartAll(roles);
  const proof = await reaches(url, body.proofId, ['succeeded', 'failed']);
  expect(proof.state).toBe('succeeded');
  expect(proof.partitions).toMatchObject([
    { state: 'proved', attempts: { prove: 3 }, failures: { prove: 0 }, losses: 0 },
  ]);
});
