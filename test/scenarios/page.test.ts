import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { CuzkError } from '@cuzk/core/errors';
import { readGoldenCase } from '@cuzk/service-kit/testing/golden-case';
import { startGoldenProver } from '@cuzk/service-kit/testing/golden-prover';
import { eventually } from '@cuzk/service-kit/testing/open-test-service';
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  findChromium,
  keepImage,
  launch,
  openPage,
  poorContrasts,
  type WatchedPage,
  watchStages,
} from './testing/browser.ts';
import { PLAYED_CIRCUIT, PlayedProof } from './testing/played-fleet.ts';
import { reaches, Scenario, submit } from './testing/service-processes.ts';

const GOLDEN = readGoldenCase('2KiB-V1_1-a');
const ROOT = new URL('../../', import.meta.url);
const OTHER = readGoldenCase('2KiB-V1_1-b');
const sectorOf = ({ minerId, sectorNumber }: typeof GOLDEN) => ({
  miner: `f0${minerId}`,
  sector: sectorNumber,
});
const C1_FILE = fileURLToPath(new URL('examples/c1/2KiB-V1_1-a/c1.json', ROOT));
const WIDE = { width: 1280, height: 900 };

const program = findChromium();
let browser: Browser;
let scenario: Scenario;
const closing: (() => Promise<void>)[] = [];

beforeAll(async () => {
  if (program !== null) browser = await launch(program);
});
afterAll(() => browser?.close());
beforeEach(async () => {
  if (program !== null) scenario = await Scenario.open();
});
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
  if (program !== null) await scenario.close();
});

async function open(view: Parameters<typeof openPage>[2] = WIDE): Promise<WatchedPage> {
  const watched = await openPage(browser, scenario.url, view);
  closing.push(() => watched.page.context().close());
  await watched.page.getByText('live', { exact: true }).first().waitFor();
  return watched;
}

async function prover(
  workMs: number,
  change?: (proof: Uint8Array) => Uint8Array,
): Promise<Awaited<ReturnType<typeof startGoldenProver>>> {
  const stage = await startGoldenProver(await scenario.join('gpu-worker', 'gpu-a'), {
    workMs,
    ...(change === undefined ? {} : { change }),
  });
  closing.push(() => stage.drain());
  return stage;
}

const card = (page: Page, proofId: unknown) => page.locator(`article[data-proof="${proofId}"]`);

describe.skipIf(program === null)('the live page', () => {
  it('shows a proof from its submission to its verification in the browser', async () => {
    await scenario.start('api');
    await scenario.start('synth-worker');
    await prover(2_500);
    const { page, complaints } = await open();
    await page.getByRole('button', { name: 'Submit a C1' }).click();
    await page.getByLabel('C1 (JSON').setInputFiles(C1_FILE);
    await page.getByLabel('Miner').fill('f01000');
    await page.getByLabel('Sector number').fill('1');
    const stagesSeen = await watchStages(page);
    await page.getByRole('button', { name: 'Submit', exact: true }).click();
    await page.locator('.detail .cell[data-stage="proved"]').waitFor({ timeout: 60_000 });
    const stages = await stagesSeen();
    expect(stages.at(-1)).toBe('proved');
    expect(stages).toEqual(expect.arrayContaining(['synthesizing', 'proving']));
    await page.locator('.detail .chip.run-succeeded').waitFor();

    const lanes = page.locator('#waterfall .lane');
    await expect.poll(() => lanes.count()).toBeGreaterThan(4);
    const partition = await lanes
      .filter({ hasText: 'partition 0' })
      .locator('.track')
      .textContent();
    expect(partition).toMatch(/synthesize .* by node-a\/0.*; .*prove 2\.\d s by gpu-a\/0/);
    expect(await lanes.filter({ hasText: 'synthesize.fill' }).count()).toBe(1);

    await page.getByRole('button', { name: 'Verify in this browser' }).click();
    await page.getByText('✓ Verified here').waitFor({ timeout: 30_000 });
    expect(await page.locator('.verdict').textContent()).toContain(
      Buffer.from(GOLDEN.publicInputs.subarray(64, 96)).toString('hex'),
    );
    await page.getByRole('button', { name: 'Try with one bit flipped' }).click();
    await page.getByText('✗ Does not verify').waitFor({ timeout: 30_000 });
    expect(complaints).toEqual([]);
  });

  it('cancels a proof that waits', async () => {
    await scenario.start('api');
    await scenario.start('synth-worker');
    const { page, complaints } = await open();
    const { body } = await submit(scenario.url, GOLDEN.c1, sectorOf(GOLDEN));
    const other = await submit(scenario.url, OTHER.c1, sectorOf(OTHER));
    await card(page, body.proofId).getByText('No gpu-worker is running.').waitFor();
    await card(page, other.body.proofId)
      .getByRole('button', { name: /^Cancel/ })
      .click();
    await card(page, other.body.proofId).locator('.cell[data-stage="cancelled"]').waitFor();
    await page.locator(`tr[data-proof="${other.body.proofId}"] .run-cancelled`).waitFor();
    expect((await reaches(scenario.url, other.body.proofId, ['cancelled'])).state).toBe(
      'cancelled',
    );
    expect((await reaches(scenario.url, body.proofId, ['running'])).state).toBe('running');
    expect(complaints).toEqual([]);
  });

  it('begins another run of a failed proof', async () => {
    await scenario.start('api');
    await scenario.start('synth-worker');
    const bad = await prover(0, () => {
      throw new CuzkError('WITNESS_UNSATISFIED', 'a row of the circuit does not hold');
    });
    const { page, complaints } = await open();
    const { body } = await submit(scenario.url, GOLDEN.c1, sectorOf(GOLDEN));
    const row = page.locator(`tr[data-proof="${body.proofId}"]`);
    await row.locator('.run-failed').waitFor({ timeout: 90_000 });
    await bad.drain();
    await prover(0);
    await row.getByRole('button', { name: /^Retry/ }).click();
    await row.locator('.run-succeeded').waitFor({ timeout: 60_000 });
    expect((await reaches(scenario.url, body.proofId, ['succeeded'])).run).toBe(2);
    expect(complaints).toEqual([]);
  });

  it('asks for the key of an operator, and goes on with it', async () => {
    const path = join(scenario.folder, 'tenants.json');
    const keySha256 = ['a-key', 'of-nobody-else'].map((key) =>
      createHash('sha256').update(key).digest('hex'),
    );
    const tenants = [
      { name: 'boss', keySha256: keySha256.slice(0, 1), operator: true },
      { name: 'guest', keySha256: keySha256.slice(1) },
    ];
    writeFileSync(path, JSON.stringify({ tenants }));
    await scenario.start('api', 'node-a', { TENANTS_FILE: path });
    const { page } = await openPage(browser, scenario.url, WIDE);
    closing.push(() => page.context().close());
    const use = async (key: string) => {
      await page.getByLabel('Key', { exact: true }).fill(key);
      await page.getByRole('button', { name: 'Use' }).click();
    };
    await use('of-nobody-else');
    await page.locator('.banner-bad').getByText('carries no key that opens this').waitFor();
    await use('a-key');
    await page.locator('.connection').getByText('live').waitFor();
    await page.reload();
    await page.locator('.connection').getByText('live').waitFor();
  });

  it('shows the recovery of a proof whose worker was killed from the page', async () => {
    await scenario.start('api', 'node-a', { CHAOS: '1' });
    await scenario.start('synth-worker');
    // It holds the partition until it is killed, however fast or slow this machine is.
    const dying = await scenario.start('gpu-worker', 'gpu-b', {
      CHAOS: '1',
      PROVER: 'simulated',
      ALLOW_SIMULATED_PROVER: '1',
      SIMULATED_PROVE_MS: '600000',
    });
    const { page, complaints } = await open();
    const { body } = await submit(scenario.url, GOLDEN.c1, sectorOf(GOLDEN));
    await card(page, body.proofId).locator('.cell[data-stage="proving"]').waitFor();
    await page.getByRole('button', { name: 'Kill gpu-b/0' }).click();
    await eventually(() => !dying.running);
    await prover(1_000);
    await page
      .locator('tr[data-worker="gpu-worker/gpu-b/0"]')
      .getByText('silent')
      .waitFor({ timeout: 30_000 });
    const cell = card(page, body.proofId).locator('.cell');
    await cell.locator('.cell-mark').waitFor({ timeout: 60_000 });
    expect(await cell.getAttribute('title')).toContain('1 lost with their worker');
    await page.locator('.run-succeeded').first().waitFor({ timeout: 60_000 });
    expect(complaints).toEqual([]);
  });

  it('resumes without a gap when the API was away', async () => {
    const api = await scenario.start('api');
    await scenario.start('synth-worker');
    const { page } = await open();
    const { body } = await submit(scenario.url, GOLDEN.c1, sectorOf(GOLDEN));
    await card(page, body.proofId).waitFor();
    await api.end('SIGKILL');
    await page.getByText('The connection is lost').waitFor();
    // What happens meanwhile must be there afterwards, without a reload.
    await prover(0);
    const service = await scenario.join('api', 'observer');
    await eventually(
      async () => (await service.redis.hget('{cuzk}:ended-counts', 'succeeded')) === '1',
    );
    await scenario.start('api');
    await page
      .locator(`tr[data-proof="${body.proofId}"] .run-succeeded`)
      .waitFor({ timeout: 30_000 });
    expect(await page.getByText('The connection is lost').count()).toBe(0);
  });

  it('shows many partitions on several devices, in light and dark, wide and narrow', async () => {
    await scenario.start('api', 'node-a', { CHAOS: '1' });
    const synth = await scenario.join('synth-worker', 'cpu-a');
    await synth.presence.publish({ ready: true, status: '4 synthesis thread(s)', slots: 4 });
    const gpus = [];
    for (const node of ['gpu-a', 'gpu-b', 'gpu-c']) {
      const gpu = await scenario.join('gpu-worker', node);
      await gpu.presence.publish({
        ready: true,
        status: 'ready',
        circuits: [PLAYED_CIRCUIT],
        parameters: 'insecure-development',
        adapter: 'played through the record',
        secondsPerPartition: { [PLAYED_CIRCUIT]: 1.4 },
        deviceBytes: { srs: 44_100_000_000, witness: 74_000_000, evaluations: 8_600_000_000 },
      });
      gpus.push(gpu);
    }
    await playFleet(synth, gpus as never);
    const wide = await open();
    await wide.page.locator('.cell').nth(29).waitFor();
    const stages = await wide.page
      .locator('article')
      .first()
      .locator('.cell')
      .evaluateAll((cells) => cells.map((cell) => (cell as HTMLElement).dataset.stage));
    expect(stages).toEqual([
      ...['proved', 'proved', 'proved', 'proving', 'proving'],
      ...['proving', 'synthesized', 'synthesizing', 'queued', 'queued'],
    ]);
    expect(await wide.page.locator('article').nth(1).locator('.waiting').textContent()).toMatch(
      /^Next in line\. Partition 0 waits for a hand-off permit: 282 MiB of 353 MiB are in use/,
    );
    for (const scheme of ['light', 'dark'] as const) {
      const { page, complaints } = await open({ ...WIDE, scheme });
      await page.locator('.chart canvas').waitFor();
      await page.locator('.ended tbody tr').first().waitFor();
      expect(await poorContrasts(page)).toEqual([]);
      await keepImage(page, `page-fleet-${scheme}`);
      expect(complaints).toEqual([]);
    }
    const narrow = await open({ width: 390, height: 844 });
    await narrow.page.locator('.ended tbody tr').first().waitFor();
    expect(await narrow.page.evaluate(() => document.documentElement.scrollWidth)).toBe(390);
    await keepImage(narrow.page, 'page-narrow');
    await narrow.page.locator('article').first().getByRole('link').click();
    await narrow.page.locator('#waterfall .lane').nth(5).waitFor();
    expect(await narrow.page.evaluate(() => document.documentElement.scrollWidth)).toBe(390);
    await wide.page.locator('article').first().getByRole('link').click();
    await wide.page.getByRole('button', { name: 'Open all phases' }).click();
    await wide.page.locator('#waterfall .depth-2').first().waitFor();
    expect(await poorContrasts(wide.page)).toEqual([]);
    await keepImage(wide.page, 'page-ten-partitions', { fullPage: true });
  });

  it('can be used with the keyboard alone', async () => {
    await scenario.start('api');
    const { page } = await open();
    const focused = () => page.evaluate(() => document.activeElement?.textContent?.trim());
    const order: (string | undefined)[] = [];
    for (let i = 0; i < 4; i++) {
      await page.keyboard.press('Tab');
      order.push(await focused());
    }
    expect(order).toEqual(['cuzk-cluster', 'Submit a C1', 'API key', 'Dark']);
    await page.keyboard.press('Enter');
    expect(await page.evaluate(() => document.documentElement.dataset.theme)).toBe('dark');
    await page.keyboard.press('Shift+Tab');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
  });

  it('loads scripts and styles of its own only', async () => {
    await scenario.start('api');
    const response = await fetch(scenario.url);
    const policy = response.headers.get('content-security-policy') ?? '';
    expect(policy).toContain("default-src 'none'");
    expect(policy).not.toContain('unsafe');
    const html = await response.text();
    const script = /src="(\/assets\/[^"]+\.js)"/.exec(html)?.[1];
    const asset = await fetch(`${scenario.url}${script}`);
    expect(asset.headers.get('cache-control')).toContain('immutable');
    expect((await fetch(`${scenario.url}/assets/none.js`)).status).toBe(404);
  });
});

/** Three proofs under way, in every state that a partition can have, and one that was refused. */
async function playFleet(
  synth: Awaited<ReturnType<Scenario['join']>>,
  [a, b, c]: [typeof synth, typeof synth, typeof synth],
): Promise<void> {
  const first = await PlayedProof.start(synth, '7');
  for (const k of [0, 1, 2, 3, 4, 5]) {
    const gpu = [a, b, c][k % 3] as typeof synth;
    await PlayedProof.dispatch(synth, [first]);
    await first.synthesize(k);
    await first.synthesized(k);
    await first.prove(k, gpu);
    if (k < 3) await first.proved(k, gpu);
  }
  await PlayedProof.dispatch(synth, [first]);
  await first.synthesize(6);
  await first.synthesized(6);
  await first.synthesize(7);
  await PlayedProof.start(synth, '8');
  await PlayedProof.start(synth, '9');
  await PlayedProof.refused(synth, '10');
}
