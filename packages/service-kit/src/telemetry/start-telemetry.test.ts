import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { createLogger } from '../logger.ts';
import { createMetrics } from '../metrics.ts';
import { eventually } from '../testing/open-test-service.ts';
import { freePort } from '../testing/redis-server.ts';
import { metricReaders, type OnLost, startTelemetry } from './start-telemetry.ts';
import {
  contextOf,
  traceIdOf,
  traceparentOf,
  untracedSpan,
  writePhaseSpans,
} from './trace-context.ts';
import { SeldomWarning } from './warn-seldom.ts';

const SETTINGS = { service: 'test', instance: 'test', otlpEndpoint: '', spanFile: '' };
const servers: Server[] = [];

afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

/** A collector that answers with this status, or never. */
async function badCollector(status: number | null): Promise<string> {
  const server = createServer((request, response) => {
    request.resume();
    if (status !== null) request.on('end', () => response.writeHead(status).end());
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  return `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`;
}

describe('a collector whose address has a login', () => {
  it('is given it in a header, and it is in no error', async () => {
    const seen: (string | undefined)[] = [];
    const server = createServer((request, response) => {
      seen.push(`${request.url} ${request.headers.authorization}`);
      request.resume().on('end', () => response.writeHead(400).end());
    });
    servers.push(server);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address = server.address();
    const port = typeof address === 'object' ? address?.port : 0;
    const otlpEndpoint = `http://cuzk:open%20sesame@127.0.0.1:${port}/otlp`;
    const errors: unknown[] = [];
    const onLost: OnLost = (_signal, _items, error) => errors.push(error);
    const [reader] = metricReaders({ ...SETTINGS, otlpEndpoint }, onLost);
    const metrics = createMetrics('test', 'test', reader === undefined ? [] : [reader]);
    metrics.count('cuzk_telemetry_lost', { signal: 'spans' });
    await reader?.forceFlush();
    const telemetry = startTelemetry({ ...SETTINGS, otlpEndpoint }, onLost);
    telemetry.tracer.startSpan('work').end();
    await telemetry.shutdown();
    await metrics.shutdown();
    const login = `Basic ${Buffer.from('cuzk:open sesame').toString('base64')}`;
    expect(new Set(seen)).toEqual(
      new Set([`/otlp/v1/metrics ${login}`, `/otlp/v1/traces ${login}`]),
    );
    expect(errors.length).toBeGreaterThan(1);
    expect(errors.map(String).join()).not.toContain('sesame');
  });
});

describe('telemetry', () => {
  it.each([
    ['is down', 0, async () => `http://127.0.0.1:${await freePort()}`],
    ['answers errors', 1, () => badCollector(400)],
    ['never answers', 0, () => badCollector(null)],
  ])(
    'holds nothing up when the collector %s, and counts what is lost',
    async (_how, lostMin, collector) => {
      let lost = 0;
      const onLost: OnLost = (_signal, items) => {
        lost += items;
      };
      const telemetry = startTelemetry({ ...SETTINGS, otlpEndpoint: await collector() }, onLost);
      const startedAt = performance.now();
      for (let i = 0; i < 20_000; i++) telemetry.tracer.startSpan('work').end();
      const workedMs = performance.now() - startedAt;
      telemetry.flush();
      const stoppingAt = performance.now();
      await telemetry.shutdown();
      expect(performance.now() - stoppingAt).toBeLessThan(4_000);
      expect(workedMs).toBeLessThan(4_000);
      expect(lost).toBeGreaterThanOrEqual(lostMin);
      // What did not fit into the buffer was dropped before: memory is bounded.
      expect(lost).toBeLessThanOrEqual(2_048 + 256);
    },
  );

  it('reports metrics that were not taken', async () => {
    const otlpEndpoint = await badCollector(500);
    const lost: string[] = [];
    const [reader] = metricReaders({ ...SETTINGS, otlpEndpoint }, (signal) => lost.push(signal));
    const { MeterProvider } = await import('@opentelemetry/sdk-metrics');
    const provider = new MeterProvider({ readers: reader ? [reader] : [] });
    provider.getMeter('test').createCounter('work').add(1);
    await provider.forceFlush();
    await provider.shutdown();
    expect(lost).toContain('metrics');
  });

  it('warns once a minute, with all that was lost since', () => {
    const lines: Record<string, unknown>[] = [];
    const logger = createLogger('test', 'info', {
      write: (line) => void lines.push(JSON.parse(line)),
    });
    let nowMs = 0;
    const warning = new SeldomWarning(logger, () => nowMs);
    for (nowMs = 0; nowMs < 180_000; nowMs += 1_000) warning.lost('spans', 10, new Error('away'));
    expect(lines.map(({ lost }) => lost)).toEqual([10, 600, 600]);
  });

  it('counts spans as lost while their file cannot be made, and writes to it when it can', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'cuzk-spans-'));
    const parent = join(folder, 'spans');
    writeFileSync(parent, 'in the way');
    const lost: number[] = [];
    const spanFile = join(parent, 'spans.jsonl');
    const { tracer, flush, shutdown } = startTelemetry({ ...SETTINGS, spanFile }, (_, spans) =>
      lost.push(spans),
    );
    await new Promise((resolve) => setTimeout(resolve, 50));
    tracer.startSpan('first').end();
    flush();
    await eventually(() => lost.length === 1);
    rmSync(parent);
    tracer.startSpan('second').end();
    await shutdown();
    expect(JSON.parse(readFileSync(spanFile, 'utf8')).name).toBe('second');
    expect(lost).toEqual([1]);
    rmSync(folder, { recursive: true });
  });

  it('gives every span an id without a collector, and samples nothing away', () => {
    const { tracer } = startTelemetry(SETTINGS, () => {});
    const own = traceparentOf(tracer.startSpan('alone'));
    expect(traceIdOf(own)).toMatch(/^[0-9a-f]{32}$/);
    const unsampled = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-00`;
    const child = tracer.startSpan('child', {}, contextOf(unsampled));
    expect(traceparentOf(child)).toMatch(/^00-a{32}-[0-9a-f]{16}-01$/);
  });
});

describe('phases', () => {
  it('become at most sixteen spans of an attempt, and none of one that is not traced', () => {
    const { tracer } = startTelemetry(SETTINGS, () => {});
    const started: string[] = [];
    const counting = {
      ...tracer,
      startSpan: (...args: Parameters<typeof tracer.startSpan>) => {
        started.push(args[0]);
        return tracer.startSpan(...args);
      },
    };
    const phases = Array.from({ length: 100 }, (_, i) => ({
      name: `phase ${i}`,
      startMs: i,
      durationMs: 1,
      clock: 'wall' as const,
    }));
    writePhaseSpans(counting, tracer.startSpan('stage'), phases);
    expect(started).toHaveLength(16);
    const parent = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`;
    const untraced = untracedSpan(contextOf(parent));
    expect(untraced.spanContext().traceId).toBe('a'.repeat(32));
    writePhaseSpans(counting, untraced, phases);
    expect(started).toHaveLength(16);
  });
});
