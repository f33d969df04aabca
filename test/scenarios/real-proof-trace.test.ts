import { join } from 'node:path';
import { readGoldenCase } from '@cuzk/service-kit/testing/golden-case';
import { eventually } from '@cuzk/service-kit/testing/open-test-service';
import { afterEach, expect, it } from 'vitest';
import { findChromium, keepImage, launch, openPage, UPDATES_IMAGES } from './testing/browser.ts';
import { Collector, coveredMs, leavesOf, type ReceivedSpan } from './testing/collector.ts';
import { CACHE, whyNoRealProof } from './testing/real-circuit.ts';
import { reaches, Scenario } from './testing/service-processes.ts';

const skipped = whyNoRealProof('the trace of a real proof takes two minutes');

/** Every phase of a proof that is not on the device before it is proved. */
const DEVICE_PHASES = [
  ...['upload', 'check_witness', 'ntt_msm_h', 'quotient', 'msm_h'],
  ...['batch_add', 'tail_msm', 'b_g2_msm', 'total'],
].map((name) => `cuzk.gpu.${name}`);

let scenario: Scenario;
let collector: Collector;
afterEach(async () => {
  await scenario?.close();
  await collector?.stop();
});

const lengthMs = ({ startMs, endMs }: ReceivedSpan): number => endMs - startMs;

/** One line a span, in order of start, below its parent. */
function waterfall(spans: readonly ReceivedSpan[], fromMs: number): string {
  const depth = (span: ReceivedSpan): number => {
    const parent = spans.find(({ spanId }) => spanId === span.parentSpanId);
    return parent === undefined ? 0 : 1 + depth(parent);
  };
  return [...spans]
    .sort((a, b) => a.startMs - b.startMs || depth(a) - depth(b))
    .map((span) => {
      const what = span.attributes['cuzk.waits_for'] ?? span.attributes['cuzk.clock'] ?? '';
      const at = ((span.startMs - fromMs) / 1000).toFixed(3).padStart(8);
      const name = `${'  '.repeat(depth(span))}${span.name} ${what}`;
      return `${at} s ${(lengthMs(span) / 1000).toFixed(3).padStart(8)} s  ${name}`;
    })
    .join('\n');
}

/** With UPDATE_IMAGES=1: what the live page shows of the proof, verified there. */
async function keepImages(proofId: string): Promise<void> {
  const program = UPDATES_IMAGES ? findChromium() : null;
  if (program === null) return;
  const browser = await launch(program);
  try {
    const { page } = await openPage(browser, scenario.url, { width: 1280, height: 900 });
    await page.locator(`tr[data-proof="${proofId}"] a`).click();
    // The phases of an only partition are open from the start.
    await page.getByRole('button', { name: 'Close all phases' }).waitFor();
    await page.getByRole('button', { name: 'Verify in this browser' }).click();
    await page.getByText('✓ Verified here').waitFor({ timeout: 60_000 });
    await keepImage(page, 'page-proof', { fullPage: true });
    await keepImage(page, 'page-waterfall', { part: '#waterfall' });
  } finally {
    await browser.close();
  }
}

it.skipIf(skipped !== null)(
  'a real proof has one trace from the request to each phase on the device, whose leaves cover its time',
  async () => {
    scenario = await Scenario.open();
    collector = await Collector.start(join(scenario.folder, 'received.jsonl'));
    const settings = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint, CUZK_CACHE_DIR: CACHE };
    await scenario.start('api', 'node-a', settings);
    await scenario.start('synth-worker', 'node-a', settings);
    const device = { GPU: process.env.GPU ?? 'software', SECTOR_SIZES: '2KiB' };
    scenario.launch('gpu-worker', 'gpu-a', { ...settings, ...device });
    await eventually(async () => (await fetch(`${scenario.url}/readyz`)).ok, 120_000);

    const { c1, minerId, sectorNumber } = readGoldenCase('2KiB-V1_1-a');
    const query = new URLSearchParams({ miner: `f0${minerId}`, sector: sectorNumber });
    const postedAt = Date.now();
    const response = await fetch(`${scenario.url}/v1/proofs?${query}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: Buffer.from(c1),
    });
    const { proofId } = (await response.json()) as { proofId: string };
    const proof = await reaches(scenario.url, proofId, ['succeeded', 'failed'], 600_000);
    expect(proof.state).toBe('succeeded');
    const endedAt = Date.parse(String(proof.endedAt));
    const traceId = response.headers.get('x-cuzk-trace-id');
    const spans = await eventually(() => {
      const own = collector.spans().filter((span) => span.traceId === traceId);
      const names = new Set(own.map(({ name }) => name));
      const last = ['cuzk.prove', 'cuzk.finalize', 'cuzk.wait', 'cuzk.accepted'];
      return last.every((name) => names.has(name)) ? own : null;
    }, 30_000);
    console.log(waterfall(spans, postedAt));

    expect(new Set(spans.map(({ service }) => service))).toEqual(
      new Set(['cuzk-api', 'cuzk-synth-worker', 'cuzk-gpu-worker']),
    );
    const ids = new Set(spans.map(({ spanId }) => spanId));
    const roots = spans.filter(({ parentSpanId }) => !ids.has(parentSpanId ?? ''));
    expect(roots.map(({ name, parentSpanId }) => [name, parentSpanId])).toEqual([
      ['cuzk.accepted', null],
    ]);
    expect(spans.length).toBeLessThanOrEqual(40);

    const onDevice = spans.filter(({ name }) => name.startsWith('cuzk.gpu.'));
    expect(onDevice.map(({ name }) => name).toSorted()).toEqual(DEVICE_PHASES.toSorted());
    for (const { name, attributes } of onDevice) {
      expect(['gpu', 'wall'], name).toContain(attributes['cuzk.clock']);
    }
    const total = onDevice.find(({ name }) => name === 'cuzk.gpu.total') as ReceivedSpan;
    const parts = onDevice.filter(({ parentSpanId }) => parentSpanId === total.spanId);
    const share = parts.reduce((sum, part) => sum + lengthMs(part), 0) / lengthMs(total);

    const wallMs = endedAt - postedAt;
    const covered = coveredMs(leavesOf(spans), postedAt, endedAt) / wallMs;
    console.log(
      `${spans.length} spans; leaves cover ${(100 * covered).toFixed(2)} % of ${wallMs} ms; ` +
        `${parts.length} phases are ${(100 * share).toFixed(2)} % of the device total of ${lengthMs(total).toFixed(0)} ms`,
    );
    expect(Math.abs(share - 1)).toBeLessThan(0.05);
    expect(covered).toBeGreaterThan(0.95);
    await keepImages(proofId);
  },
);
