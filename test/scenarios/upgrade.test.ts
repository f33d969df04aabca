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
type Role = (typeof ROLES)[number];

let redis: TestRedis;
let machine: string;
let port: number;
let service: Service;
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
  const unit = new RunningUnit(readUnit(role), join(machine, 'current'), {
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
async function restartAll(): Promise<void> {
  for (const role of ROLES) {
    const { code, signal, tookMs } = (await units.get(role)?.stop()) ?? {};
    expect([code, signal], role).toEqual([0, null]);
    expect(tookMs, role).toBeLessThan(5_000);
    await start(role);
  }
}

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
  const partitionIs = (id: unknown, state: string) =>
    eventually(async () => {
      const proof = (await (await fetch(`${url}/v1/proofs/${id}`)).json()) as {
        partitions: { state: string }[];
      };
      return proof.partitions[0]?.state === state;
    }, 30_000);

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
