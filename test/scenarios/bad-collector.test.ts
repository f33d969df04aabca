import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readGoldenCase } from '@cuzk/service-kit/testing/golden-case';
import { startGoldenProver } from '@cuzk/service-kit/testing/golden-prover';
import { eventually } from '@cuzk/service-kit/testing/open-test-service';
import { freePort } from '@cuzk/service-kit/testing/redis-server';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Collector } from './testing/collector.ts';
import { reaches, Scenario, submit } from './testing/service-processes.ts';

const MIB = 2 ** 20;
const CASES = (['2KiB-V1-a', '2KiB-V1_1-a', '2KiB-Synthetic-a'] as const).map(readGoldenCase);
/** A collector that is down refuses the connection: an address where nobody listens. */
const KINDS = ['down', 'errors', 'silent'] as const;
type Kind = (typeof KINDS)[number];

let scenario: Scenario;
let collector: Collector | undefined;
const closing: (() => Promise<void>)[] = [];
beforeEach(async () => {
  scenario = await Scenario.open();
  collector = undefined;
});
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
  await scenario.close();
  await collector?.stop();
});

async function endpointOf(kind: Kind): Promise<string> {
  if (kind === 'down') return `http://127.0.0.1:${await freePort()}`;
  collector = await Collector.start(join(scenario.folder, 'received.jsonl'), kind);
  return collector.endpoint;
}

describe.each(KINDS)('with a collector that is %s', (kind) => {
  it('proving goes on, and every process warns once and counts what is lost', async () => {
    const settings = { OTEL_EXPORTER_OTLP_ENDPOINT: await endpointOf(kind) };
    const api = await scenario.start('api', 'node-a', settings);
    const opsPort = String(await freePort());
    const synth = await scenario.start('synth-worker', 'node-a', {
      ...settings,
      OPS_PORT: opsPort,
    });
    const stage = await startGoldenProver(await scenario.join('gpu-worker', 'gpu-a'));
    closing.push(() => stage.drain());
    const startedAt = performance.now();
    for (const { c1, minerId, sectorNumber } of CASES) {
      const sector = { miner: `f0${minerId}`, sector: sectorNumber };
      const { status, body } = await submit(scenario.url, c1, sector);
      expect(status).toBe(202);
      expect((await reaches(scenario.url, body.proofId, ['succeeded', 'failed'])).state).toBe(
        'succeeded',
      );
    }
    const provedMs = performance.now() - startedAt;
    const lostOf = async (url: string) => {
      const page = await (await fetch(`${url}/metrics`)).text();
      return [...page.matchAll(/^cuzk_telemetry_lost_total\{.*\} (\d+)$/gm)].reduce(
        (sum, [, lost]) => sum + Number(lost),
        0,
      );
    };
    const pages = [scenario.url, `http://127.0.0.1:${opsPort}`];
    const lost = await eventually(async () => {
      const counts = await Promise.all(pages.map(lostOf));
      return counts.every((count) => count > 0) ? counts : null;
    }, 60_000);
    console.log(`${kind}: ${CASES.length} proofs in ${provedMs.toFixed(0)} ms, lost ${lost}`);
    for (const { log, name } of [api, synth]) {
      expect(log.match(/telemetry was not delivered/g), name).toHaveLength(1);
    }
  });

  it('the memory of a process stays bounded, however many spans it ends', async () => {
    const endpoint = await endpointOf(kind);
    const maker = fileURLToPath(new URL('./testing/span-maker.mjs', import.meta.url));
    const made = spawnSync(process.execPath, ['--expose-gc', maker, endpoint, '20000', '5'], {
      encoding: 'utf8',
      timeout: 120_000,
    });
    expect([made.status, made.stderr]).toEqual([0, '']);
    const { heapBytes, lost } = JSON.parse(made.stdout) as { heapBytes: number[]; lost: number };
    const mib = heapBytes.map((bytes) => (bytes / MIB).toFixed(1)).join(' ');
    console.log(`${kind}: heap after 20,000 spans each ${mib} MiB; ${lost} reported lost`);
    expect(heapBytes).toHaveLength(5);
    const [first = 0] = heapBytes;
    expect(Math.max(...heapBytes) - first).toBeLessThan(8 * MIB);
  });
});
