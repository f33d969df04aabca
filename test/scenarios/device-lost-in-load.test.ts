import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { childrenOf } from '@cuzk/service-kit/memory/process-memory';
import { readGoldenCase } from '@cuzk/service-kit/testing/golden-case';
import { eventually } from '@cuzk/service-kit/testing/open-test-service';
import { freePort } from '@cuzk/service-kit/testing/redis-server';
import { afterEach, expect, it } from 'vitest';
import { CACHE, whyNoRealProof } from './testing/real-circuit.ts';
import { reaches, Scenario, submit } from './testing/service-processes.ts';

const LOSING_DEVICE = fileURLToPath(new URL('./testing/losing-device.mjs', import.meta.url));
const skipped = whyNoRealProof('three loads and a real proof take minutes');

let scenario: Scenario;
afterEach(() => scenario?.close());

/** Bytes on the device by class, and how often its process ended, as the worker's metrics say. */
function readMetrics(text: string): { bytes: Record<string, number>; restarts: number } {
  const bytes: Record<string, number> = {};
  for (const [, kind, value] of text.matchAll(
    /^cuzk_gpu_memory_bytes\{.*class="(\w+)".*\} (\S+)$/gm,
  )) {
    bytes[kind as string] = Number(value);
  }
  return { bytes, restarts: Number(/^cuzk_gpu_restarts_total\S* (\d+)$/m.exec(text)?.[1]) };
}

/**
 * Breaks: the device is lost in the middle of the first load, its process is killed in the middle of the second.
 * Holds: the worker loads a third time and proves what waited for it; nothing is lost, begun twice or left.
 */
it.skipIf(skipped !== null)(
  'a worker whose device is lost in the middle of a load, twice, loads again and proves what waits',
  async () => {
    scenario = await Scenario.open();
    const shared = { CUZK_CACHE_DIR: CACHE };
    await scenario.start('api', 'node-a', shared);
    await scenario.start('synth-worker', 'node-a', shared);
    const { c1, minerId, sectorNumber } = readGoldenCase('2KiB-V1_1-a');
    const { body } = await submit(scenario.url, c1, {
      miner: `f0${minerId}`,
      sector: sectorNumber,
    });

    const opsPort = await freePort();
    const ops = `http://127.0.0.1:${opsPort}`;
    const note = join(scenario.folder, 'device-lost');
    const worker = scenario.launch('gpu-worker', 'gpu-a', {
      ...shared,
      GPU: process.env.GPU ?? 'software',
      SECTOR_SIZES: '2KiB',
      OPS_PORT: String(opsPort),
      NODE_OPTIONS: `--import=${LOSING_DEVICE}`,
      LOSE_DEVICE_NOTE: note,
    });
    const ready = async () => {
      const response = await fetch(`${ops}/readyz`).catch(() => null);
      return (await response?.json().catch(() => null)) as {
        ready: boolean;
        status: string;
      } | null;
    };
    const metrics = async () => readMetrics(await (await fetch(`${ops}/metrics`)).text());
    const nothingHeld = async (restarts: number) => {
      const found = await eventually(async () => {
        const now = await metrics();
        return now.restarts === restarts && now;
      }, 20_000);
      expect(Object.values(found.bytes).filter((bytes) => bytes > 0)).toEqual([]);
      expect((await ready())?.ready).toBe(false);
    };

    await eventually(() => existsSync(note), 240_000);
    console.log(`device destroyed with ${readFileSync(note, 'utf8')} of the parameters on it`);
    await nothingHeld(1);

    const percent = await eventually(async () => {
      const state = await ready();
      const done = Number(/^loading 2KiB (\d+) %$/.exec(state?.status ?? '')?.[1] ?? 0);
      return done >= 50 && done < 95 && done;
    }, 240_000);
    const [child] = childrenOf(worker.pid);
    process.kill(child as number, 'SIGKILL');
    console.log(`process killed with ${percent} % of the parameters on the device`);
    const killedAt = performance.now();
    await nothingHeld(2);

    await eventually(async () => (await ready())?.ready, 240_000);
    console.log(`loaded ${((performance.now() - killedAt) / 1000).toFixed(1)} s after the kill`);
    expect(childrenOf(worker.pid)).not.toContain(child);
    const proof = await reaches(scenario.url, body.proofId, ['succeeded', 'failed'], 600_000);
    expect(proof.state).toBe('succeeded');
    const partitions = proof.partitions as { failures: Record<string, number> }[];
    expect(partitions.map(({ failures }) => failures.prove ?? 0)).toEqual([0]);

    const { circuits } = (await (await fetch(`${ops}/circuits`)).json()) as { circuits: object[] };
    expect(circuits).toMatchObject([{ sector: '2KiB', users: 0 }]);
    expect((await fetch(`${ops}/circuits/2KiB/evict`, { method: 'POST' })).ok).toBe(true);
    const { bytes, restarts } = await metrics();
    expect(restarts).toBe(2);
    expect(Object.entries(bytes).filter(([kind, held]) => kind !== 'idle' && held > 0)).toEqual([]);
  },
);
