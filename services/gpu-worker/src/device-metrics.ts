import type { Metrics } from '@cuzk/service-kit/metrics';
import type { DeviceUsage } from './child-protocol.ts';

/** Where the parameters of a sector size are. */
export type SrsState = 'missing' | 'loading' | 'loaded';
const SRS_STATES: readonly SrsState[] = ['missing', 'loading', 'loaded'];

/** What the device of this worker holds and does, as metrics. */
export class DeviceMetrics {
  readonly #metrics: Metrics;
  #adapter = 'no adapter';
  #usage: DeviceUsage = { submits: 0, deviceBytes: {} };

  /** `sectorStates` names every wanted sector size. */
  constructor(metrics: Metrics, sectorStates: () => ReadonlyMap<string, SrsState>) {
    this.#metrics = metrics;
    metrics.count('cuzk_gpu_restarts', {}, 0);
    metrics.observe('cuzk_gpu_memory_bytes', (observe) => {
      for (const [bufferClass, bytes] of Object.entries(this.#usage.deviceBytes)) {
        observe(bytes, { adapter: this.#adapter, class: bufferClass });
      }
    });
    metrics.observe('cuzk_srs_state', (observe) => {
      for (const [sector, own] of sectorStates()) {
        for (const state of SRS_STATES) observe(state === own ? 1 : 0, { sector, state });
      }
    });
  }

  get deviceBytes(): DeviceUsage['deviceBytes'] {
    return this.#usage.deviceBytes;
  }

  /** News of the device process. */
  took(adapter: string, usage: DeviceUsage): void {
    const submits = usage.submits - this.#usage.submits;
    if (submits > 0) this.#metrics.count('cuzk_gpu_submits', { adapter }, submits);
    this.#adapter = adapter;
    this.#usage = usage;
  }

  /** The device process ended unasked: it holds nothing any more. */
  lost(): void {
    this.#metrics.count('cuzk_gpu_restarts', {});
    const none = Object.keys(this.#usage.deviceBytes).map((name) => [name, 0] as const);
    this.#usage = { submits: 0, deviceBytes: Object.fromEntries(none) };
  }
}
