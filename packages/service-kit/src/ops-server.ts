import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Service } from './open-service.ts';

export interface Readiness {
  readonly ready: boolean;
  readonly status: string;
}

export interface OpsServer {
  readonly port: number;
  close(): Promise<void>;
}

/** What the pages read. */
export type OpsService = Pick<Service, 'liveness' | 'metricsPage'>;

/** /healthz, /readyz and /metrics of a worker. Port 0 picks a free one. */
export async function startOpsServer(
  address: { readonly host: string; readonly port: number },
  service: OpsService,
  readiness: () => Readiness | Promise<Readiness>,
): Promise<OpsServer> {
  const server = createServer((request, response) => {
    answer(request, response, service, readiness).catch((error: unknown) => {
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
  readiness: () => Readiness | Promise<Readiness>,
): Promise<void> {
  const path = (request.url ?? '').split('?')[0];
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
