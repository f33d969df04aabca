import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { readGoldenCase } from '@cuzk/service-kit/testing/golden-case';
import { startGoldenProver } from '@cuzk/service-kit/testing/golden-prover';
import { eventually } from '@cuzk/service-kit/testing/open-test-service';
import { freePort } from '@cuzk/service-kit/testing/redis-server';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { Collector } from './testing/collector.ts';
import { reaches, Scenario, submit } from './testing/service-processes.ts';

const MIB = 2 ** 20;
const CASES = (['2KiB-V1-a', '2KiB-V1_1-a', '2KiB-Synthetic-a'] as const).map(readGoldenCase);
/** Nobody listens, every answer is 503, no answer ever comes. */
const KINDS = ['down', 'errors', 'silent'] as const;
type Kind = (typeof KINDS)[number];

let scenario: Scenario;
const closing: (() => Promise<void>)[] = [];
beforeEach(async () => {
  scenario = await Scenario.open();
});
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
  await scenario.close();
});

async function endpointOf(kind: Kind): Promise<string> {
  if (kind === 'down') return `http://127.0.0.1:${await freePort()}`;
  const collector = await Collector.start(join(scenario.folder, `${kind}.jsonl`), kind);
  closing.push(() => collector.stop());
  return collector.endpoint;
}

/** What a process says that its collector did not take. */
async function lostBy(url: string): Promise<number> {
  const page = await (await fetch(`${url}/metrics`)).text();
  const counts = [...page.matchAll(/^cuzk_telemetry_lost_total\{.*\} (\d+)$/gm)];
  return counts.reduce((sum, [, lost]) => sum + Number(lost), 0);
}

it('proving goes on with every kind of bad collector; each process warns once a minute and counts what is lost', async () => {
  const startWith = async (kind: Kind, name: 'api' | 'synth-worker') => {
    const opsPort = await freePort();
    const process = await scenario.start(name, `node-${kind}`, {
      OTEL_EXPORTER_OTLP_ENDPOINT: await endpointOf(kind),
      OPS_PORT: String(opsPort),
    });
    const url = name === 'api' ? scenario.url : `http://127.0.0.1:${opsPort}`;
    return { kind, process, url };
  };
  const startedAt = performance.now();
  const processes = [
    await startWith('down', 'api'),
    await startWith('errors', 'synth-worker'),
    await startWith('silent', 'synth-worker'),
  ];
  const stage = await startGoldenProver(await scenario.join('gpu-worker', 'gpu-a'));
  closing.push(() => stage.drain());
  for (const { c1, minerId, sectorNumber } of CASES) {
    const sector = { miner: `f0${minerId}`, sector: sectorNumber };
    const { body } = await submit(scenario.url, c1, sector);
    const { state } = await reaches(scenario.url, body.proofId, ['succeeded', 'failed']);
    expect(state).toBe('succeeded');
  }
  // Spans of the silent one run out after five seconds; metrics are sent every fifteen, whatever a process did.
  const lost = await eventually(async () => {
    const counts = await Promise.all(processes.map(({ url }) => lostBy(url)));
    return counts.every((count) => count > 1) ? counts : null;
  }, 60_000);
  console.log(
    `lost by processes whose collector is ${processes.map(({ kind }, i) => `${kind}: ${lost[i]}`).join(', ')}`,
  );
  const minutes = (performance.now() - startedAt) / 60_000;
  for (const { kind, process } of processes) {
    const warnings = process.log.match(/telemetry was not delivered/g)?.length ?? 0;
    expect(warnings, kind).toBeGreaterThan(0);
    expect(warnings, kind).toBeLessThanOrEqual(1 + Math.floor(minutes));
  }
});

it('the memory of a process stays bounded, however many spans it ends', async () => {
  const maker = fileURLToPath(new URL('./testing/span-maker.mjs', import.meta.url));
  await Promise.all(
    KINDS.map(async (kind) => {
      const child = spawn(
        process.execPath,
        ['--expose-gc', maker, await endpointOf(kind), '20000', '4'],
        { stdio: ['ignore', 'pipe', 'inherit'] },
      );
      const [output] = await Promise.all([text(child.stdout), once(child, 'exit')]);
      const { heapBytes, lost } = JSON.parse(output) as { heapBytes: number[]; lost: number };
      const mib = heapBytes.map((bytes) => (bytes / MIB).toFixed(1)).join(' ');
      console.log(`${kind}: heap after 20,000 spans each ${mib} MiB; ${lost} reported lost`);
      expect(heapBytes).toHaveLength(4);
      expect(lost).toBeGreaterThan(0);
      const [first = 0] = heapBytes;
      expect(Math.max(...heapBytes) - first).toBeLessThan(8 * MIB);
    }),
  );
});
