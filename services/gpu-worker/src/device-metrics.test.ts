import { createMetrics } from '@cuzk/service-kit/metrics';
import { expect, it } from 'vitest';
import { DeviceMetrics, type SrsState } from './device-metrics.ts';

it('the device is shown with its memory, its submits and its parameters, and empty when it is lost', async () => {
  const metrics = createMetrics('test', 'test');
  const states = new Map<string, SrsState>([['2KiB', 'loading']]);
  const device = new DeviceMetrics(metrics, () => states);
  expect(await metrics.text()).toContain('cuzk_gpu_restarts_total 0');
  device.took('llvmpipe', { submits: 10, deviceBytes: { srs: 100, witness: 7 } });
  device.took('llvmpipe', { submits: 25, deviceBytes: { srs: 100, witness: 0 } });
  states.set('2KiB', 'loaded');
  const busy = await metrics.text();
  expect(busy).toContain('cuzk_gpu_submits_total{adapter="llvmpipe"} 25');
  expect(busy).toContain('cuzk_gpu_memory_bytes{adapter="llvmpipe",class="srs"} 100');
  expect(busy).toContain('cuzk_gpu_memory_bytes{adapter="llvmpipe",class="witness"} 0');
  expect(busy).toContain('cuzk_srs_state{sector="2KiB",state="loaded"} 1');
  expect(busy).toContain('cuzk_srs_state{sector="2KiB",state="loading"} 0');

  device.lost();
  device.took('llvmpipe', { submits: 5, deviceBytes: { srs: 0 } });
  const lost = await metrics.text();
  expect(lost).toContain('cuzk_gpu_restarts_total 1');
  expect(lost).toContain('cuzk_gpu_submits_total{adapter="llvmpipe"} 30');
  expect(lost).toContain('cuzk_gpu_memory_bytes{adapter="llvmpipe",class="srs"} 0');
});
