import type { FoundProcess } from './find-processes.ts';

/** What a service says of itself at one moment; null what it does not tell. */
export interface ServiceLevels {
  readonly gpuBytes: number | null;
  readonly buffersInFlight: number | null;
  readonly buffersInFlightBytes: number | null;
  /** Units that are worked on, by stage. */
  readonly running: Readonly<Record<string, number>>;
}

export const NO_LEVELS: ServiceLevels = {
  gpuBytes: null,
  buffersInFlight: null,
  buffersInFlightBytes: null,
  running: {},
};

/** A sample does not wait longer for a service that is busy; a chart then goes on with what it said before. */
const TIMEOUT_MS = 2_000;
const GPU_WORKER_PORT = 9466;

/** Address of a service's metrics on this host, from its environment; null when it has none. */
export function metricsAddress({ name, environment }: FoundProcess): string | null {
  const own = Number(environment.METRICS_PORT ?? 0);
  const ports: Readonly<Record<string, number>> = {
    api: Number(environment.PORT ?? 8080),
    'synth-worker': Number(environment.OPS_PORT ?? 0),
    'gpu-worker': Number(environment.OPS_PORT ?? GPU_WORKER_PORT),
  };
  const port = own > 0 ? own : (ports[name] ?? 0);
  if (port === 0) return null;
  const host = (own > 0 ? environment.METRICS_HOST : environment.HOST) ?? '127.0.0.1';
  return `http://${host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host}:${port}/metrics`;
}

/** Reads the levels of a service; nothing when it does not answer in time. */
export async function readLevels(found: FoundProcess): Promise<ServiceLevels> {
  const address = metricsAddress(found);
  if (address === null || Object.keys(found.environment).length === 0) return NO_LEVELS;
  const key = found.environment.METRICS_KEY ?? '';
  try {
    const response = await fetch(address, {
      headers: key === '' ? {} : { authorization: `Bearer ${key}` },
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    return response.ok ? levelsOf(await response.text()) : NO_LEVELS;
  } catch {
    return NO_LEVELS;
  }
}

/** The levels in a page of metrics. */
export function levelsOf(text: string): ServiceLevels {
  const series = [...text.matchAll(/^([a-z_]+)(?:\{(.*)\})? (\S+)$/gm)].map(
    ([, name = '', labels = '', value = '']) => ({ name, labels, value: Number(value) }),
  );
  const sumOf = (wanted: string): number | null => {
    const own = series.filter(({ name }) => name === wanted);
    return own.length === 0 ? null : own.reduce((sum, { value }) => sum + value, 0);
  };
  const running = series
    .filter(({ name }) => name === 'cuzk_stage_units_running')
    .map(({ labels, value }) => [/stage="(\w+)"/.exec(labels)?.[1] ?? '', value] as const);
  return {
    gpuBytes: sumOf('cuzk_gpu_memory_bytes'),
    buffersInFlight: sumOf('cuzk_buffers_in_flight'),
    buffersInFlightBytes: sumOf('cuzk_buffers_in_flight_bytes'),
    running: Object.fromEntries(running),
  };
}
