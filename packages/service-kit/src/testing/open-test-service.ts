import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openService, type Service, type ServiceSettings } from '../open-service.ts';
import type { WorkerRole } from '../presence/identity.ts';

/** Settings of a service whose metrics nobody asks for over HTTP. */
export const NO_METRICS_PAGE = {
  METRICS_KEY: '',
  METRICS_OPEN: '0',
  METRICS_HOST: '127.0.0.1',
  METRICS_PORT: 0,
} as const;

/** Settings of a service of a test: silent, without collector and files, but for what is given. */
export const testSettings = (
  own: Partial<ServiceSettings> & Pick<ServiceSettings, 'REDIS_URL' | 'ARTIFACT_DIR'>,
): ServiceSettings => ({
  NODE_NAME: 'node-a',
  INSTANCE: '0',
  LOG_LEVEL: 'silent',
  OTEL_EXPORTER_OTLP_ENDPOINT: '',
  SPAN_FILE: '',
  ...NO_METRICS_PAGE,
  ...own,
});

/** Services of one test on one Redis and one artifact folder. */
export class TestFleet {
  readonly folder: string;
  readonly redisUrl: string;
  readonly #open: Service[] = [];

  constructor(redisUrl: string) {
    this.redisUrl = redisUrl;
    this.folder = mkdtempSync(join(tmpdir(), 'cuzk-fleet-'));
  }

  async open(role: WorkerRole, node = 'node-a', instance = '0'): Promise<Service> {
    const service = await openService(
      role,
      testSettings({
        REDIS_URL: this.redisUrl,
        ARTIFACT_DIR: join(this.folder, 'artifacts'),
        NODE_NAME: node,
        INSTANCE: instance,
        SPAN_FILE: join(this.folder, 'spans.jsonl'),
      }),
      role === 'api' ? 'prompt' : 'patient',
    );
    this.#open.push(service);
    return service;
  }

  async close(): Promise<void> {
    await Promise.all(this.#open.map((service) => service.close()));
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** Waits until `check` gives something true; throws after `timeoutMs`. */
export async function eventually<T>(
  check: () => Promise<T | false | null | undefined> | T | false | null | undefined,
  timeoutMs = 10_000,
): Promise<T> {
  const end = performance.now() + timeoutMs;
  for (;;) {
    const found = await check();
    if (found) return found;
    if (performance.now() > end) throw new Error(`nothing happened within ${timeoutMs} ms`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
