import { setTimeout as delay } from 'node:timers/promises';
import { rssBytes } from '../fleet/peak-memory.ts';
import { findProcesses } from '../memmon/find-processes.ts';
import { type ApiAddress, type FleetStatus, readStatus } from '../proof-client.ts';

/** The largest figures seen. */
export interface FleetPeaks {
  readonly adapters: readonly string[];
  /** Of one moment: the one at which all buffer classes together were largest, summed over devices. */
  readonly deviceBytes: Readonly<Record<string, number>>;
  readonly deviceTotalBytes: number;
  /** Largest sum of the resident sets of all processes at one moment. */
  readonly residentTotalBytes: number;
}

const SAMPLE_MS = 500;

/** Watches memory of a system: resident sets of its processes, and what its workers say of their devices. */
export class FleetWatch {
  readonly #api: ApiAddress;
  readonly #ownProcesses: boolean;
  readonly #stopping = new AbortController();
  readonly #loop: Promise<void>;
  readonly #adapters = new Set<string>();
  #deviceBytes: Record<string, number> = {};
  #residentTotalBytes = 0;

  /**
   * `ownProcesses`: the system was started by this process and its resident sets are read from the kernel, Redis
   * included; otherwise they are what the workers say every two seconds.
   */
  constructor(api: ApiAddress, options: { readonly ownProcesses: boolean }) {
    this.#api = api;
    this.#ownProcesses = options.ownProcesses;
    this.#loop = this.#watch();
  }

  /** Ends watching, after one more look. */
  async close(): Promise<FleetPeaks> {
    this.#stopping.abort();
    await this.#loop;
    await this.#sample();
    return {
      adapters: [...this.#adapters],
      deviceBytes: this.#deviceBytes,
      deviceTotalBytes: total(this.#deviceBytes),
      residentTotalBytes: this.#residentTotalBytes,
    };
  }

  async #watch(): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      await this.#sample();
      await delay(SAMPLE_MS, undefined, { signal }).catch(() => {});
    }
  }

  async #sample(): Promise<void> {
    const status = await readStatus(this.#api).catch(() => null);
    if (this.#ownProcesses) this.#raiseResident(residentOfChildren());
    if (status === null) return;
    if (!this.#ownProcesses) this.#raiseResident(residentOfWorkers(status));
    for (const { adapter } of status.gpu_workers) if (adapter !== null) this.#adapters.add(adapter);
    const deviceBytes = sumByClass(status);
    if (total(deviceBytes) > total(this.#deviceBytes)) this.#deviceBytes = deviceBytes;
  }

  #raiseResident(bytes: number): void {
    this.#residentTotalBytes = Math.max(this.#residentTotalBytes, bytes);
  }
}

const total = (bytes: Readonly<Record<string, number>>): number =>
  Object.values(bytes).reduce((sum, value) => sum + value, 0);

/** Resident bytes of every service that this process started, of the device processes below them, and of Redis. */
const residentOfChildren = (): number =>
  findProcesses(process.pid).reduce((sum, { pid }) => sum + (rssBytes(pid) ?? 0), 0);

const residentOfWorkers = ({ workers }: FleetStatus): number =>
  workers.reduce((sum, worker) => sum + (worker.resident_bytes ?? 0), 0);

function sumByClass({ gpu_workers: workers }: FleetStatus): Record<string, number> {
  const sums: Record<string, number> = {};
  for (const { device_bytes: bytes } of workers) {
    for (const [name, value] of Object.entries(bytes ?? {})) sums[name] = (sums[name] ?? 0) + value;
  }
  return sums;
}
