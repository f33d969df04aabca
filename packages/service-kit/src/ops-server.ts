import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
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
}

/**
 * /healthz, /readyz and /metrics of a worker, and POST /finish from this host: an orchestrator that has time calls it
 * before it sends SIGTERM, so that nothing has to be handed back. Port 0 picks a free one.
 */
export async function startOpsServer(
  address: { readonly host: string; readonly port: number },
  service: OpsService,
  pages: OpsPages,
): Promise<OpsServer> {
  let finishing: Promise<void> | undefined;
  const once: OpsPages = {
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
  { readiness, finish }: OpsPages,
): Promise<void> {
  const path = (request.url ?? '').split('?')[0];
  if (request.method === 'POST' && path === '/finish') {
    if (!isLoopback(request.socket.remoteAddress)) {
      return json(response, 403, { error: 'only from this host' });
    }
    await finish();
    return json(response, 200, { status: 'finished' });
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
  if (path !== '/metrics') return json(response, 404, { error: 'not found' });
  const { socket, headers } = request;
  const page = await metricsPage.answer({ address: socket.remoteAddress, headers });
  response.writeHead(page.status, { 'content-type': page.type }).end(page.body);
}
