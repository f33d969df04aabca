import { type ChildProcess, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { circuitId } from '@cuzk/core/porep/circuit-id';
import { parseSectorSize, sectorShape } from '@cuzk/core/porep/sector';
import { c1Ref } from '@cuzk/service-kit/artifacts/names';
import type { Service } from '@cuzk/service-kit/open-service';
import { createOrJoinProof } from '@cuzk/service-kit/record/create-proof';
import { newProofId } from '@cuzk/service-kit/record/proof-id';
import { eventually, testSettings } from '@cuzk/service-kit/testing/open-test-service';
import { newProof } from '@cuzk/service-kit/testing/sample-proof';
import { afterEach, expect, it } from 'vitest';
import { Scenario } from './testing/service-processes.ts';

const SLOW = process.env.SLOW === '1';
if (!SLOW)
  console.log('skipped: throughput of one, two and four gpu-workers takes a minute: SLOW=1');
const PROVE_MS = 400;
const WITNESS_BYTES = 70_000;
const CPU = fileURLToPath(
  new URL('../../packages/service-kit/dist/simulated/simulated-worker.js', import.meta.url),
);

let scenario: Scenario | undefined;
let cpu: ChildProcess | undefined;
afterEach(async () => {
  cpu?.kill('SIGKILL');
  await scenario?.close();
});

/** Ingest, synthesis and finalize that compute nothing, as a process. */
function startCpu({ redis, folder }: Scenario): ChildProcess {
  const settings = testSettings({
    REDIS_URL: redis.url,
    ARTIFACT_DIR: join(folder, 'artifacts'),
    NODE_NAME: 'cpu',
    LOG_LEVEL: 'error',
  });
  const plan = {
    settings,
    coordinator: { handoffBytes: 64 * WITNESS_BYTES, window: 64, quietMs: 0 },
    cpu: {
      circuitId: circuitId(sectorShape(parseSectorSize('2KiB'))),
      ...{ partitions: 1, witnessBytes: WITNESS_BYTES, threads: 8, synthesizeMs: 5, failShare: 0 },
    },
  };
  return spawn(process.execPath, [CPU, JSON.stringify(plan)], { stdio: 'ignore' });
}

async function submit({ redis, artifacts, queues }: Service): Promise<void> {
  const proofId = newProofId();
  const c1 = await artifacts.put(c1Ref(proofId), Buffer.from(`{"${proofId}":1}`));
  const contentKey = createHash('sha256').update(proofId).digest('hex');
  const created = await createOrJoinProof(redis, newProof({ proofId, contentKey, c1 }));
  await queues.addUnits(created.next);
}

/** Proofs of one partition that so many gpu-worker processes finish in a second. */
async function provedPerSecond(gpuWorkers: number): Promise<number> {
  const fleet = await Scenario.open();
  scenario = fleet;
  cpu = startCpu(fleet);
  for (let i = 0; i < gpuWorkers; i++) {
    await fleet.start('gpu-worker', `gpu-${i}`, {
      PROVER: 'simulated',
      ALLOW_SIMULATED_PROVER: '1',
      SIMULATED_PROVE_MS: String(PROVE_MS),
    });
  }
  const client = await fleet.join('api', 'client');
  const ended = (count: number) =>
    eventually(
      async () => Number(await client.redis.hget('{cuzk}:ended-counts', 'succeeded')) >= count,
      120_000,
    );
  // Enough in advance that no device waits, before and after the time that is measured.
  const [first, measured] = [2 * gpuWorkers, 20 * gpuWorkers];
  for (let i = 0; i < first + measured + 4 * gpuWorkers; i++) await submit(client);
  await ended(first);
  const startedAt = performance.now();
  await ended(first + measured);
  const seconds = (performance.now() - startedAt) / 1000;
  cpu.kill('SIGKILL');
  await fleet.close();
  scenario = undefined;
  return measured / seconds;
}

it.skipIf(!SLOW)(
  'two gpu-workers prove twice as much as one, and four four times as much',
  async () => {
    const one = await provedPerSecond(1);
    const two = await provedPerSecond(2);
    const four = await provedPerSecond(4);
    const times = (many: number) => `× ${(many / one).toFixed(3)}`;
    console.log(
      `proofs a second: ${one.toFixed(3)}, ${two.toFixed(3)} (${times(two)}), ${four.toFixed(3)} (${times(four)}); ` +
        `a device alone could do ${(1000 / PROVE_MS).toFixed(2)}`,
    );
    expect(two / one).toBeGreaterThanOrEqual(1.9);
    expect(four / one).toBeGreaterThanOrEqual(3.7);
  },
);
