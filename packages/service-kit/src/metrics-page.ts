import { timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { Metrics } from './metrics.ts';

export interface MetricsPageSettings {
  /** What a reader must show as bearer token; '' for none. */
  readonly METRICS_KEY: string;
  /** '1': without a key anybody may read, not only this host. */
  readonly METRICS_OPEN: string;
  readonly METRICS_HOST: string;
  /** 0: on the port of the service. */
  readonly METRICS_PORT: number;
}

export interface PageAnswer {
  readonly status: number;
  readonly type: string;
  readonly body: string;
}

/** Who asks for a page. */
export interface Reader {
  readonly address: string | undefined;
  readonly headers: IncomingHttpHeaders;
}

const LOOPBACK = /^(127\.|::1$|::ffff:127\.)/;
/** Whether the other end of a connection is on this host. */
export const isLoopback = (address: string | undefined): boolean => LOOPBACK.test(address ?? '');

const plain = (status: number, body: string): PageAnswer => ({ status, type: 'text/plain', body });

/** 200, or why this reader may not see the metrics. */
function access(settings: MetricsPageSettings, { address, headers }: Reader): 200 | 401 | 403 {
  if (settings.METRICS_KEY !== '') {
    const shown = /^Bearer (.+)$/.exec(headers.authorization ?? '')?.[1] ?? '';
    return sameText(shown, settings.METRICS_KEY) ? 200 : 401;
  }
  if (settings.METRICS_OPEN === '1') return 200;
  // What a proxy on this host passes on comes from elsewhere.
  const forwarded = headers['x-forwarded-for'] !== undefined || headers.forwarded !== undefined;
  return !forwarded && isLoopback(address) ? 200 : 403;
}

function sameText(a: string, b: string): boolean {
  const [left, right] = [Buffer.from(a), Buffer.from(b)];
  return left.length === right.length && timingSafeEqual(left, right);
}

/**
 * The metrics as a page: with METRICS_KEY for those who show it; without, for this host only unless METRICS_OPEN is
 * set. With METRICS_PORT they are on an address of their own and nowhere else.
 */
export class MetricsPage {
  readonly #metrics: Metrics;
  readonly #settings: MetricsPageSettings;
  #server: Server | undefined;

  private constructor(metrics: Metrics, settings: MetricsPageSettings) {
    this.#metrics = metrics;
    this.#settings = settings;
  }

  static async open(metrics: Metrics, settings: MetricsPageSettings): Promise<MetricsPage> {
    const page = new MetricsPage(metrics, settings);
    if (settings.METRICS_PORT !== 0) await page.#listen();
    return page;
  }

  /** For the port that the service has anyway. */
  async answer(reader: Reader): Promise<PageAnswer> {
    if (this.#server !== undefined) return plain(404, 'metrics are on an address of their own');
    return this.#answer(reader);
  }

  async #answer(reader: Reader): Promise<PageAnswer> {
    const status = access(this.#settings, reader);
    if (status === 401) return plain(401, 'the key of the metrics is needed as bearer token');
    if (status === 403)
      return plain(403, 'metrics are for this host: set METRICS_KEY or METRICS_OPEN');
    try {
      const body = await this.#metrics.text();
      return { status: 200, type: 'text/plain; version=0.0.4; charset=utf-8', body };
    } catch {
      return plain(503, 'metrics could not be read');
    }
  }

  async #listen(): Promise<void> {
    const server = createServer((request, response) => {
      const path = (request.url ?? '').split('?')[0];
      const found = request.method === 'GET' && path === '/metrics';
      const reader = { address: request.socket.remoteAddress, headers: request.headers };
      void (found ? this.#answer(reader) : Promise.resolve(plain(404, 'not found'))).then(
        ({ status, type, body }) => response.writeHead(status, { 'content-type': type }).end(body),
      );
    });
    const { METRICS_HOST, METRICS_PORT } = this.#settings;
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(METRICS_PORT, METRICS_HOST, resolve);
    });
    this.#server = server;
  }

  async close(): Promise<void> {
    const server = this.#server;
    if (server === undefined) return;
    await new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  }
}
