/** What something known of a device holds for: another adapter, driver or kernel may want something else. */
export interface DeviceKey {
  /** Adapter and driver as WebGPU describes them. */
  readonly adapter: string;
  /** SHA-256 over all kernels, hex. */
  readonly kernels: string;
}

/** Its tuning (tuning-file.ts), and the pipelines that were needed (kept-pipelines.ts). */
export type DeviceFact = 'tuning' | 'pipelines';

/** Where what is known of devices is kept between processes. */
export interface DeviceStore {
  /** The text written last for this key; null where there is none. */
  read(kind: DeviceFact, key: DeviceKey): Promise<string | null>;
  write(kind: DeviceFact, key: DeviceKey, text: string): Promise<void>;
  /** One sentence about a stored text that could not be used. */
  warn(message: string): void;
}
