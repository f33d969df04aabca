import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createLogger } from '@cuzk/service-kit/logger';
import { afterEach, expect, it } from 'vitest';
import { GpuProcess, type ProveNews } from './gpu-process.ts';
import { SilenceLimit } from './silence-limit.ts';

const childPath = fileURLToPath(new URL('./testing/unsteady-child.mjs', import.meta.url));
const open: GpuProcess[] = [];
afterEach(() => {
  for (const process of open.splice(0)) process.close();
});

function start(
  hangMs = 60_000,
  silence = new SilenceLimit(hangMs),
): { process: GpuProcess; lost: string[] } {
  const lost: string[] = [];
  const process = new GpuProcess({
    logger: createLogger('test', 'silent'),
    cacheDir: join(tmpdir(), 'cuzk-gpu-process'),
    silence,
    childPath,
    onProgress: () => {},
    onUsage: () => {},
    onLost: (reason) => lost.push(reason),
  });
  open.push(process);
  return { process, lost };
}
const never = new AbortController().signal;
const NO_NEWS: ProveNews = { onUploaded: () => {}, onBegun: () => {} };
const prove = (process: GpuProcess, how: string, signal = never, news: Partial<ProveNews> = {}) =>
  process.prove(
    {
      sectorBytes: 2048,
      witness: { path: how, artifact: { ref: how, bytes: 1, sha256: '' } },
    },
    signal,
    { ...NO_NEWS, ...news },
  );

it('proves, and says when the witness is on the device and when the device begins with it', async () => {
  const { process } = start();
  const news: string[] = [];
  const proved = await prove(process, 'prove', never, {
    onUploaded: () => news.push('uploaded'),
    onBegun: () => news.push('begun'),
  });
  expect([proved.proof.length, news]).toEqual([192, ['uploaded', 'begun']]);
});

it('takes the witness of a second partition while the first is proved', async () => {
  const { process } = start();
  const news: string[] = [];
  const one = prove(process, 'prove').then(() => news.push('first proved'));
  const two = prove(process, 'prove', never, {
    onUploaded: () => news.push('second uploaded'),
    onBegun: () => news.push('second begun'),
  });
  await Promise.all([one, two]);
  expect(news[0]).toBe('second uploaded');
  expect(news.toSorted()).toEqual(['first proved', 'second begun', 'second uploaded']);
});

it('a partition that fails does not take the one behind it along', async () => {
  const { process } = start();
  const first = prove(process, 'fail');
  const second = prove(process, 'prove');
  await expect(first).rejects.toMatchObject({ code: 'GPU_OUT_OF_MEMORY' });
  expect((await second).proof.length).toBe(192);
});

it.each(['exit', 'hang'])(
  'when the process is lost (%s), the partition that waited goes back unharmed',
  async (how) => {
    const { process } = start(1_500);
    const first = prove(process, how);
    const second = prove(process, 'prove');
    const settled = await Promise.allSettled([first, second]);
    expect(settled.map((each) => (each.status === 'rejected' ? each.reason : null))).toMatchObject([
      { code: how === 'exit' ? 'GPU_DEVICE_LOST' : 'GPU_HUNG' },
      { name: 'NotBegunError' },
    ]);
  },
);

it('a partition that ends the process before it is begun, with nothing before it, has failed', async () => {
  const { process } = start();
  await expect(prove(process, 'unbegun')).rejects.toMatchObject({ code: 'GPU_DEVICE_LOST' });
});

it('a device without progress is killed, and its work fails as GPU_HUNG', async () => {
  const { process, lost } = start(1_500);
  const startedAt = performance.now();
  await expect(prove(process, 'hang')).rejects.toMatchObject({ code: 'GPU_HUNG' });
  expect(performance.now() - startedAt).toBeLessThan(5_000);
  expect([process.alive, lost]).toEqual([false, ['made no progress']]);
  await expect(process.selfTest()).rejects.toMatchObject({ code: 'GPU_DEVICE_LOST' });
});

it('pauses of work that was lost with its process say nothing of what the next one does', async () => {
  const silence = new SilenceLimit(600_000);
  const lost = prove(start(0, silence).process, 'exit');
  silence.paused(1, 50_000);
  await expect(lost).rejects.toMatchObject({ code: 'GPU_DEVICE_LOST' });
  await prove(start(0, silence).process, 'prove');
  expect(silence.msFor('prove')).toBe(10_000);
});

it('a clock that is set in the middle of work neither kills a device nor lets a hanging one live', async () => {
  const hourMs = 3_600_000;
  const now = Date.now.bind(Date);
  const { process, lost } = start(1_500);
  const { process: patient } = start(60_000);
  const waits = prove(patient, 'hang').catch(() => {});
  const hangs = prove(process, 'hang').catch((error: unknown) => error);
  try {
    Date.now = () => now() - hourMs;
    const late = new Promise((resolve) => setTimeout(() => resolve('lives'), 5_000));
    expect(await Promise.race([hangs, late])).toMatchObject({ code: 'GPU_HUNG' });
    Date.now = () => now() + hourMs;
    await new Promise((resolve) => setTimeout(resolve, 1_200));
    expect([lost, patient.alive]).toEqual([['made no progress'], true]);
  } finally {
    Date.now = now;
  }
  patient.close();
  await waits;
});

it('slow work that makes progress is left alone', async () => {
  const { process } = start(200);
  await prove(process, 'prove');
  await new Promise((resolve) => setTimeout(resolve, 1_500));
  expect(process.alive).toBe(true);
});

it('a process that dies fails its work as GPU_DEVICE_LOST', async () => {
  const { process, lost } = start();
  await expect(prove(process, 'exit')).rejects.toMatchObject({ code: 'GPU_DEVICE_LOST' });
  expect(lost).toEqual(['exited with 3']);
});

it('out of memory is the answer of one request, and the process goes on', async () => {
  const { process } = start();
  await expect(prove(process, 'fail')).rejects.toMatchObject({ code: 'GPU_OUT_OF_MEMORY' });
  expect((await prove(process, 'prove')).proof.length).toBe(192);
});

it('a cancel stops the work at the next check', async () => {
  const { process } = start();
  const abort = new AbortController();
  const startedAt = performance.now();
  const work = prove(process, 'prove', abort.signal, { onUploaded: () => abort.abort() });
  await expect(work).rejects.toMatchObject({ code: 'CANCELLED' });
  expect(performance.now() - startedAt).toBeLessThan(2_000);
});
