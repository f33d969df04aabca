import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { CuzkError, ERROR_CODES } from '@cuzk/core/errors';
import { isLoopback } from './metrics-page.ts';
import type { Service } from './open-service.ts';

interface Readiness {
  readonly ready: boolean;
  readonly status: string;
}

export interface OpsServer {
  readonly port: number;
  close(): Promise<void>;
}

/** What the pages read. */
export type OpsService = Pick<Service, 'liveness' | 'metricsPage'>;

export interface OpsPages {
  readonly readiness: () => Readiness | Promise<Readiness>;
  /** Takes no more work and resolves when what runs has ended. */
  readonly finish: () => Promise<void>;
  /** Of a worker with a device: what it holds, and orders from this host. Sector sizes by name, such as 32GiB. */
  readonly circuits?: {
    readonly list: () => Promise<readonly object[]>;
    readonly preload: (sector: string) => Promise<void>;
    readonly evict: (sector: string) => Promise<boolean>;
  };
}

/**
 * /healthz, /readyz and /metrics of a worker, and POST /finish from this host: an orchestrator that has time calls it
 * before it sends SIGTERM, so that nothing has to be handed back. Where it has a device, /circuits and, from this host,
 * POST /circuits/SECTOR/preload and /evict. Port 0 picks a free one.
 */
export async function startOpsServer(
  address: { readonly host: string; readonly port: number },
  service: OpsService,
  pages: OpsPages,
): Promise<OpsServer> {
  let finishing: Promise<void> | undefined;
  const once: OpsPages = {
    ...pages,
    readiness: () =>
      finishing === undefined ? pages.readiness() : { ready: false, status: 'finishing' },
    finish: () => {
      finishing ??= pages.finish();
      return finishing;
    },
  };
  const server = createServer((request, response) => {
    answer(request, response, service, once).catch((error: unknown) => {
      json(response, 503, { error: error instanceof Error ? error.message : String(error) });
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(address.port, address.host, resolve);
  });
  const bound = server.address();
  return {
    port: typeof bound === 'object' && bound ? bound.port : address.port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function json(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  { liveness, metricsPage }: OpsService,
  pages: OpsPages,
): Promise<void> {
  const { readiness, circuits } = pages;
  const path = (request.url ?? '').split('?')[0] ?? '';
  if (request.method === 'POST') {
    if (!isLoopback(request.socket.remoteAddress)) {
      return json(response, 403, { error: 'only from this host' });
    }
    return order(response, path, pages);
  }
  if (request.method !== 'GET') return json(response, 405, { error: 'method not allowed' });
  if (path === '/healthz') {
    const state = await liveness.check();
    return json(response, state.alive ? 200 : 503, state);
  }
  if (path === '/readyz') {
    const state = await readiness();
    return json(response, state.ready ? 200 : 503, state);
  }
  if (path === '/circuits' && circuits !== undefined) {
    return json(response, 200, { circuits: await circuits.list() });
  }
  if (path !== '/metrics') return json(response, 404, { error: 'not found' });
  const { socket, headers } = request;
  const page = await metricsPage.answer({ address: socket.remoteAddress, headers });
  response.writeHead(page.status, { 'content-type': page.type }).end(page.body);
}

/** What this host may tell a worker to do. */
async function order(
  response: ServerResponse,
  path: string,
  { finish, circuits }: OpsPages,
): Promise<void> {
  if (path === '/finish') {
    await finish();
    return json(response, 200, { status: 'finished' });
  }
  const [, sector, what] = /^\/circuits\/(\w+)\/(preload|evict)$/.exec(path) ?? [];
  if (sector === undefined || circuits === undefined) {
    return json(response, 405, { error: 'method not allowed' });
  }
  try {
    if (what === 'evict') {
      return json(response, 200, { wasLoaded: await circuits.evict(sector) });
    }
    await circuits.preload(sector);
    return json(response, 200, { loaded: true });
  } catch (error) {
    if (!(error instanceof CuzkError)) throw error;
    const { code, message, facts } = error;
    return json(response, ERROR_CODES[code].status, { code, message, ...facts });
  }
}
