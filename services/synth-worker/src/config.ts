import { loadConfig } from '@cuzk/service-kit/config/load-config';
import { PARAMETER_SETTINGS } from '@cuzk/service-kit/config/parameter-settings';
import { byteCount, milliseconds, SHARED_SETTINGS } from '@cuzk/service-kit/config/shared-settings';
import { type Static, Type } from 'typebox';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

export const SYNTH_WORKER_SETTINGS = Type.Object({
  ...SHARED_SETTINGS,
  ...PARAMETER_SETTINGS,
  OPS_PORT: Type.Integer({
    minimum: 0,
    maximum: 65_535,
    default: 0,
    description: 'Port of /healthz, /readyz and /metrics; 0 = none',
  }),
  SYNTH_THREADS: Type.Integer({
    minimum: 0,
    maximum: 256,
    default: 0,
    description: 'Partitions synthesized at once; 0 = one less than there are cores, at least one',
  }),
  SYNTH_MEMORY_BYTES: Type.Integer({
    minimum: 0,
    default: 0,
    description: 'Working memory of all synthesis on this host; 0 = half of what the host has',
  }),
  HANDOFF_BYTES: byteCount(
    'Witness bytes between dispatch and GPU pick-up, over the whole fleet; an eighth is kept for critical and high work',
    4 * 2 ** 30,
  ),
  DISPATCH_WINDOW: Type.Integer({
    minimum: 1,
    default: 64,
    description: 'Most partitions between dispatch and GPU pick-up',
  }),
  RECONNECT_QUIET_MS: milliseconds(
    'No worker is called silent for this long after Redis came back',
    15_000,
  ),
  C1_KEPT_MS: milliseconds('C1 after the end of its proof', HOUR_MS),
  RECORD_KEPT_MS: milliseconds('Records and results after the end of the proof', 30 * DAY_MS),
});

export type SynthWorkerConfig = Readonly<Static<typeof SYNTH_WORKER_SETTINGS>>;

/** Settings of this process. Throws CONFIG_INVALID. */
export const readConfig = (): SynthWorkerConfig => loadConfig(SYNTH_WORKER_SETTINGS, process.env);
