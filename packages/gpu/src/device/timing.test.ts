import { beforeAll, expect, it, vi } from 'vitest';
import { createTimestampTimer } from './timing.ts';

/** As much of a device as timestamps need; the software adapters of the tests have none. */
function deviceWithTicks(ticks: readonly bigint[]) {
  const lost = { now: false };
  const buffer = ({ size }: GPUBufferDescriptor) => ({
    size,
    mapAsync: async () => {
      if (lost.now) throw new Error('the device is lost');
    },
    getMappedRange: () => BigUint64Array.from(ticks).buffer,
    unmap: () => {},
  });
  const device = { createQuerySet: () => ({}), createBuffer: buffer } as unknown as GPUDevice;
  return { device, lost };
}

const encoder = {
  resolveQuerySet: () => {},
  copyBufferToBuffer: () => {},
} as unknown as GPUCommandEncoder;

beforeAll(() => {
  vi.stubGlobal('GPUBufferUsage', { QUERY_RESOLVE: 1, COPY_SRC: 2, MAP_READ: 4, COPY_DST: 8 });
  vi.stubGlobal('GPUMapMode', { READ: 1 });
  return () => vi.unstubAllGlobals();
});

it('timestamps that are lost with a device are told to who collects, and to nobody else', async () => {
  const { device, lost } = deviceWithTicks([1_000_000_000n, 3_000_000_000n]);
  const timer = createTimestampTimer(device);
  const submit = (phase: string): void => {
    const mark = timer.begin(phase);
    mark.passTimestamps('kernel');
    mark.encodeEnd(encoder);
    mark.done();
  };
  submit('ntt');
  submit('ntt');
  expect(await timer.collect()).toEqual([
    { phase: 'ntt', seconds: 4, submits: 2, source: 'timestamps' },
  ]);
  lost.now = true;
  submit('msm');
  // an unhandled rejection would end the process here
  await new Promise((resolve) => setTimeout(resolve, 1));
  await expect(timer.collect()).rejects.toThrow('the device is lost');
  lost.now = false;
  submit('msm');
  expect(await timer.collect()).toEqual([
    { phase: 'msm', seconds: 2, submits: 1, source: 'timestamps' },
  ]);
});
