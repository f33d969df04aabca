import { fileURLToPath } from 'node:url';
import { createLogger } from '@cuzk/service-kit/logger';
import { afterEach, expect, it } from 'vitest';
import { GpuProcess } from './gpu-process.ts';
import { SilenceLimit } from './silence-limit.ts';

const childPath = fileURLToPath(new URL('./testing/unsteady-child.mjs', import.meta.url));
const open: GpuProcess[] = [];
afterEach(() => {
  for (const process of open.splice(0)) process.close();
});

function start(hangMs = 60_000): { process: GpuProcess; lost: string[] } {
  const lost: string[] = [];
  const process = new GpuProcess({
    logger: createLogger('test', 'silent'),
    silence: new SilenceLimit(hangMs),
    childPath,
    onProgress: () => {},
    onUsage: () => {},
    onLost: (reason) => lost.push(reason),
  });
  open.push(process);
  return { process, lost };
}
const never = new AbortController().signal;
const prove = (process: GpuProcess, how: string, signal = never, onUploaded = () => {}) =>
  process.prove({ sectorBytes: 2048, witnessPath: how }, signal, onUploaded);

it('proves, and says when the witness is on the device', async () => {
  const { process } = start();
  let uploaded = 0;
  const proved = await prove(process, 'prove', never, () => uploaded++);
  expect([proved.proof.length, uploaded]).toEqual([192, 1]);
});

it('a device without progress is killed, and its work fails as GPU_HUNG', async () => {
  const { process, lost } = start(1_500);
  const startedAt = performance.now();
  await expect(prove(process, 'hang')).rejects.toMatchObject({ code: 'GPU_HUNG' });
  expect(performance.now() - startedAt).toBeLessThan(5_000);
  expect([process.alive, lost]).toEqual([false, ['made no progress']]);
  await expect(process.selfTest()).rejects.toMatchObject({ code: 'GPU_DEVICE_LOST' });
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
  const work = prove(process, 'prove', abort.signal, () => abort.abort());
  await expect(work).rejects.toMatchObject({ code: 'CANCELLED' });
  expect(performance.now() - startedAt).toBeLessThan(2_000);
});
