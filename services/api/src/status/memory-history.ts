import type { Service } from '@cuzk/service-kit/open-service';
import { readPresence } from '@cuzk/service-kit/presence/presence';
import { redisTimeMs } from '@cuzk/service-kit/redis/redis-time';
import { workerView } from './worker-view.ts';

export const SAMPLE_MS = 5_000;
/** Half an hour. */
const SAMPLES_MAX = 360;
/** Processes that are followed; more than these are left out. */
const SERIES_MAX = 64;

export type MemoryKind = 'resident' | 'device';

interface MemorySeries {
  readonly worker: string;
  readonly role: string;
  readonly kind: MemoryKind;
  /** One value for each time; null: not heard of. */
  readonly bytes: readonly (number | null)[];
}

/** Memory of the fleet's processes over the last half hour, in columns. */
export interface MemoryHistoryView {
  readonly interval_secs: number;
  /** Unix seconds, by the clock of Redis. */
  readonly times: readonly number[];
  readonly series: readonly MemorySeries[];
}

interface Sample {
  readonly at: number;
  /** `kind worker` → bytes. */
  readonly bytes: ReadonlyMap<string, number>;
}

/** Remembers what every process says of its memory. Bounded in time and in processes. */
export class MemoryHistory {
  readonly #service: Service;
  readonly #roles = new Map<string, string>();
  readonly #timer: NodeJS.Timeout;
  #samples: Sample[] = [];

  constructor(service: Service) {
    this.#service = service;
    this.#timer = setInterval(() => void this.sample(), SAMPLE_MS);
    this.#timer.unref();
    void this.sample();
  }

  /** Takes one sample; none while Redis is away, which leaves a gap in time. */
  async sample(): Promise<void> {
    const { redis } = this.#service;
    const read = Promise.all([readPresence(redis), redisTimeMs(redis)]);
    const [workers, atMs] = (await read.catch(() => null)) ?? [];
    if (workers === undefined || atMs === undefined) return;
    const bytes = new Map<string, number>();
    for (const view of workers.map(workerView)) {
      this.#roles.set(view.name, view.role);
      if (view.resident_bytes !== null) bytes.set(`resident ${view.name}`, view.resident_bytes);
      if (view.device_bytes !== null) bytes.set(`device ${view.name}`, view.device_bytes);
    }
    this.#samples = [...this.#samples, { at: atMs / 1000, bytes }].slice(-SAMPLES_MAX);
  }

  read(): MemoryHistoryView {
    const keys = new Set(this.#samples.flatMap(({ bytes }) => [...bytes.keys()]));
    for (const name of this.#roles.keys()) {
      if (!keys.has(`resident ${name}`)) this.#roles.delete(name);
    }
    const series = [...keys].sort().slice(0, SERIES_MAX);
    return {
      interval_secs: SAMPLE_MS / 1000,
      times: this.#samples.map(({ at }) => at),
      series: series.map((key) => {
        const [kind = '', worker = ''] = key.split(' ');
        return {
          worker,
          role: this.#roles.get(worker) ?? '',
          kind: kind as MemoryKind,
          bytes: this.#samples.map(({ bytes }) => bytes.get(key) ?? null),
        };
      }),
    };
  }

  close(): void {
    clearInterval(this.#timer);
  }
}
